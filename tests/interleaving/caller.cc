// This is a caller of a campaign of many callers. It draws its calls, and notes what each of them was
// answered.
#include <algorithm>
#include <chrono>
#include <deque>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/helpers/batch_result.h"
#include "tests/crash/load.h"
#include "tests/crash/oracle.h"
#include "tests/crash/queues.h"
#include "tests/interleaving/round.h"
#include "tests/support/random.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kCallsOfACaller = 14;

struct Held {
  Receipt receipt;
  std::string queue;
  std::string key;
  std::string replays;
  Timestamp lease_expires_at;
};

class Caller {
 public:
  Caller(Round& round, std::uint64_t seed, std::size_t number)
      : round_(round), engine_(*round.engine), random_(seed), number_(number) {}

  void run() {
    for (std::size_t i = 0; i < kCallsOfACaller && !stopped_; ++i) step();
  }

 private:
  void step() {
    const std::uint64_t choice = random_.below(100);
    if (choice < 24) return send();
    if (choice < 48) return receive();
    if (choice < 78) return settle();
    if (choice < 82) return redrive();
    if (choice < 86) return alter();
    if (choice < 89) return pause();
    if (choice < 93) return scratch();
    if (choice < 95) return look();
    if (choice < 97) return cancel();
    (void)engine_.run_due();
  }

  // --- answers ---

  // Makes a callback that must be called once.
  template <class Take>
  auto once(Take take) {
    ++round_.unanswered;
    return [this, take = std::move(take), called = std::make_shared<bool>(false)](auto answer) {
      if (std::exchange(*called, true)) return round_.complain("a callback is called twice");
      --round_.unanswered;
      take(std::move(answer));
    };
  }
  // Returns whether the call is known to have had no effect. Otherwise nobody knows.
  bool refused(const Error& error, const std::string& verb, std::initializer_list<ErrorCode> allowed = {}) {
    if (error.code == ErrorCode::kStorageFailed) {
      stopped_ = true;
      if (!round_.writes_may_fail()) round_.complain(verb + ": " + to_string(error));
      return false;
    }
    // A redrive that close() breaks off has moved some messages.
    if (error.code == ErrorCode::kClosed || error.code == ErrorCode::kOutcomeUnknown) {
      stopped_ = true;
      if (!round_.closing) round_.complain(verb + ": " + to_string(error));
      return error.code == ErrorCode::kClosed;
    }
    if (std::ranges::find(allowed, error.code) == allowed.end())
      round_.complain(verb + ": " + to_string(error));
    return true;
  }
  void refuse(std::uint64_t op, const Error& error, const std::string& verb,
              std::initializer_list<ErrorCode> allowed = {}) {
    if (refused(error, verb, allowed)) round_.log.refuse(op, std::string(error_info(error.code).name));
  }
  void done(const std::string& verb) { ++round_.campaign.done[verb]; }
  Durability any_durability() { return random_.one_in(2) ? Durability::kFsync : Durability::kBuffered; }
  std::string any_source() { return random_.one_in(4) ? "orders" : "work"; }
  std::string new_key() {
    return std::to_string(round_.number) + "-" + std::to_string(number_) + "-" + std::to_string(++keys_);
  }

  // --- sends ---

  using SendAnswer = BatchResult<Sent>;
  using Ops = std::vector<std::uint64_t>;

  void send() {
    const std::string queue = any_source();
    SendOptions options{any_durability()};
    std::vector<Message> messages;
    Ops ops;
    for (std::uint64_t n = random_.between(1, 3); n > 0; --n) {
      const std::string key = new_key();
      messages.push_back(crash_message(key));
      ops.push_back(round_.log.begin({"send", queue, key, word_of(*options.durability)}));
    }
    // Calls with request ids could overtake others in an ordered queue.
    if (queue == "work" && random_.one_in(3)) {
      options.request_id = "request of " + std::to_string(ops.front());
      return send_twice(std::move(messages), options, ops);
    }
    const auto take = [this, ops](const SendAnswer& answer) { sent(ops, answer); };
    if (random_.one_in(2)) return take(engine_.send_batch(queue, std::move(messages), options));
    engine_.async_send_batch(queue, std::move(messages), options, once(take));
  }

  static Result<Sent> entry(const SendAnswer& answer, std::size_t i) {
    return answer ? answer->at(i) : Result<Sent>(tl::unexpected(answer.error()));
  }
  void sent(const Ops& ops, const SendAnswer& answer) {
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const Result<Sent> one = entry(answer, i);
      if (!one) {
        refuse(ops[i], one.error(), "send", {ErrorCode::kQueuePaused});
        continue;
      }
      round_.log.settle(ops[i], {"ok", one->id.to_string(), word_of(one->durability)}, one->durability);
      done("send");
    }
  }

  // Sends twice side by side under one request id. The messages are there once.
  void send_twice(std::vector<Message> messages, const SendOptions& options, const Ops& ops) {
    const auto first = std::make_shared<std::optional<SendAnswer>>();
    const auto take = [this, ops, first](SendAnswer answer) {
      if (!*first) {
        *first = std::move(answer);
        return;
      }
      sent_twice(ops, **first, answer);
    };
    engine_.async_send_batch("work", messages, options, once(take));
    if (random_.one_in(2)) return take(engine_.send_batch("work", std::move(messages), options));
    engine_.async_send_batch("work", std::move(messages), options, once(take));
  }
  void sent_twice(const Ops& ops, const SendAnswer& a, const SendAnswer& b) {
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const Result<Sent> one = entry(a, i);
      const Result<Sent> other = entry(b, i);
      if (one && other && one->id != other->id) round_.complain("a repeated send has another id");
      if (one && other) done("repeat");
    }
    // The call that had its effect, or may have had it, speaks for both.
    const bool b_may_have = !b && b.error().code == ErrorCode::kStorageFailed;
    sent(ops, !a && (b || b_may_have) ? b : a);
  }

  // --- receives ---

  void receive() {
    static const std::vector<std::string> names{"work", "work", "work", "orders", "orders", "dead", "parked"};
    const std::string& queue = random_.pick(names);
    ReceiveOptions options{.max = random_.between(1, 4)};
    if (random_.one_in(3)) options.lease = 1s;
    if (random_.one_in(2)) options.wait = std::chrono::milliseconds(random_.between(10, 300));
    const Duration lease = options.lease.value_or(crash_queue(queue).options.lease);
    const std::uint64_t op = round_.log.begin({"receive", queue});
    const Timestamp started = round_.clock.seen();
    const bool settles_at_once = random_.one_in(3);
    const auto take = [this, queue, op, started, lease, settles_at_once](Result<Deliveries> answer) {
      if (!answer) return refuse(op, answer.error(), "receive");
      std::vector<std::string> words{"ok", std::to_string((round_.clock.seen() - started) / lease)};
      std::vector<Held> got;
      for (const Delivery& delivery : *answer) {
        const std::string key = key_of(delivery.body, delivery.attributes);
        if (key.empty()) round_.complain("a message came out of " + queue + " that nobody sent");
        words.insert(words.end(),
                     {key, std::to_string(delivery.deliveries), std::to_string(delivery.replays)});
        got.push_back(
            {delivery.receipt, queue, key, std::to_string(delivery.replays), delivery.lease_expires_at});
      }
      round_.log.settle(op, std::move(words), Durability::kBuffered);
      done("receive");
      if (settles_at_once && !got.empty()) {
        async_ack(got.back());
        got.pop_back();
      }
      held_.insert(held_.end(), got.begin(), got.end());
    };
    if (random_.one_in(2)) {
      auto answer = engine_.receive(queue, options);
      return take(std::move(answer));
    }
    last_receive_ = engine_.async_receive(queue, options, once(take));
  }

  void cancel() {
    if (last_receive_) engine_.cancel_receive(*std::exchange(last_receive_, std::nullopt));
  }

  // --- settling ---

  std::uint64_t announce(const char* verb, const Held& held) {
    return round_.log.begin({verb, held.queue, held.key, held.replays});
  }
  // Notes the outcome of a settlement. A receipt is over when its lease has run out, and not before.
  void settled(std::uint64_t op, const char* verb, const Held& held, const Result<void>& answer,
               Durability durability) {
    if (answer) {
      done(verb);
      return round_.log.settle(op, {"ok"}, durability);
    }
    const ErrorCode code = answer.error().code;
    const bool is_over = code == ErrorCode::kReceiptStale || code == ErrorCode::kMessageNotFound;
    if (is_over && round_.clock.seen() < held.lease_expires_at) {
      round_.complain(held.key + ": " + verb +
                      " was refused before its lease was over: " + to_string(answer.error()));
    }
    refuse(op, answer.error(), verb, {ErrorCode::kReceiptStale, ErrorCode::kMessageNotFound});
  }

  void async_ack(const Held& held) {
    const Durability durability = any_durability();
    const std::uint64_t op = announce("ack", held);
    engine_.async_ack_batch(std::vector{held.receipt}, {durability},
                            once([this, op, held, durability](BatchResult<void> answers) {
                              settled(op, "ack", held, only_answer(std::move(answers)), durability);
                            }));
  }

  // Settles with a blocking verb, or with one that has a callback.
  template <class Blocking, class Async>
  void settle_with(const char* verb, const Held& held, Durability durability, Blocking blocking,
                   Async async) {
    const std::uint64_t op = announce(verb, held);
    if (random_.one_in(2)) {
      return settled(op, verb, held, only_answer<void>(blocking(op)), durability);
    }
    async(op, once([this, op, verb, held, durability](BatchResult<void> answers) {
            settled(op, verb, held, only_answer(std::move(answers)), durability);
          }));
  }

  void settle() {
    if (held_.empty()) return receive();
    const Held held = held_.front();
    held_.pop_front();
    const std::vector<Receipt> receipts{held.receipt};
    const std::uint64_t choice = random_.below(100);
    if (choice < 30) {
      const SettleOptions options{any_durability()};
      settle_with(
          "ack", held, *options.durability, [&](auto) { return engine_.ack_batch(receipts, options); },
          [&](auto, auto take) { engine_.async_ack_batch(receipts, options, take); });
    } else if (choice < 42) {
      transfer(held);
    } else if (choice < 62 && held.queue != "parked") {
      const SettleOptions options{any_durability()};
      settle_with(
          "reject", held, *options.durability,
          [&](std::uint64_t op) {
            return engine_.reject_batch(receipts, {.category = "c", .reason = reason_of(op)}, options);
          },
          [&](std::uint64_t op, auto take) {
            engine_.async_reject_batch(receipts, {.category = "c", .reason = reason_of(op)}, options, take);
          });
    } else if (choice < 75) {
      const Duration delay = random_.one_in(3) ? 200ms : 0ms;
      const auto options = [&](std::uint64_t op) {
        return ReleaseOptions{.delay = delay, .failure = {.reason = reason_of(op)}};
      };
      settle_with(
          "release", held, Durability::kBuffered,
          [&](std::uint64_t op) { return engine_.release_batch(receipts, options(op)); },
          [&](std::uint64_t op, auto take) { engine_.async_release_batch(receipts, options(op), take); });
    } else if (choice < 85) {
      const ReleaseOptions options{.charge = false};
      settle_with(
          "spare", held, Durability::kBuffered,
          [&](auto) { return engine_.release_batch(receipts, options); },
          [&](auto, auto take) { engine_.async_release_batch(receipts, options, take); });
    } else if (choice < 93) {
      extend(held);
    }
    // In the other cases the receipt is forgotten, and its lease runs out.
  }

  void extend(Held held) {
    const Timestamp started = round_.clock.seen();
    const auto extended = engine_.extend(held.receipt, 600ms);
    if (extended) {
      done("extend");
      held.lease_expires_at = started + 600ms;
      held_.push_back(std::move(held));
      return;
    }
    const bool is_over = extended.error().code == ErrorCode::kReceiptStale ||
                         extended.error().code == ErrorCode::kMessageNotFound;
    if (is_over && round_.clock.seen() < held.lease_expires_at)
      round_.complain(held.key + ": extend was refused before its lease was over");
    (void)refused(extended.error(), "extend", {ErrorCode::kReceiptStale, ErrorCode::kMessageNotFound});
  }

  // Acknowledges one message and sends another together, with a row that says so.
  void transfer(const Held& held) {
    const std::string queue = any_source();
    const std::string key = new_key();
    const Durability durability = any_durability();
    const std::uint64_t op =
        round_.log.begin({"transfer", held.queue, held.key, held.replays, queue, key, word_of(durability)});
    Transaction transaction;
    transaction.ack(held.receipt).send(queue, crash_message(key)).put(round_.transfers, key, held.key);
    const auto take = [this, op, held, durability](const Result<Committed>& answer) {
      if (answer) {
        done("commit");
        return round_.log.settle(op, {"ok", answer->sent.at(0).to_string(), word_of(answer->durability)},
                                 answer->durability);
      }
      if (answer.error().code == ErrorCode::kQueuePaused)
        return refuse(op, answer.error(), "commit", {ErrorCode::kQueuePaused});
      settled(op, "commit", held, tl::unexpected(answer.error()), durability);
    };
    // A transaction with a callback may be overtaken by what the caller sends after it.
    if (queue == "orders" || random_.one_in(2))
      return take(engine_.commit(std::move(transaction), {durability}));
    engine_.async_commit(std::move(transaction), {durability}, once(take));
  }

  // --- the rest ---

  void redrive() {
    const std::uint64_t op = round_.log.begin({"redrive", "dead"});
    const auto take = [this, op](const Result<void>& answer) {
      if (!answer) return refuse(op, answer.error(), "redrive", {ErrorCode::kCancelled});
      done("redrive");
      round_.log.settle(op, {"ok"}, Durability::kFsync);
    };
    const auto without_value = [](const auto& answer) {
      return answer ? Result<void>() : Result<void>(tl::unexpected(answer.error()));
    };
    switch (random_.below(4)) {
      case 0:
        return take(without_value(engine_.redrive("dead")));
      case 1:
        return take(without_value(engine_.redrive("dead", {.wait = false})));
      case 2:
        return take(without_value(engine_.redrive("dead", {.wait = false}, [](const DeadLetter& letter) {
          return Result<Message>(Message{.body = letter.body,
                                         .attributes = letter.attributes,
                                         .group = group_of(letter.body.substr(0, letter.body.find(':')))});
        })));
      default:
        break;
    }
    const auto token = engine_.async_redrive(
        "dead", {},
        once([take, without_value](const Result<Redriven>& answer) { take(without_value(answer)); }));
    if (random_.one_in(3)) engine_.cancel_call(token);
  }

  void alter() {
    const std::string queue = any_source();
    QueueChanges changes;
    if (random_.one_in(2)) changes.lease = random_.one_in(2) ? 300ms : 500ms;
    changes.limits.max_leased = random_.one_in(2) ? 3 : 0;
    const auto altered = engine_.alter_queue(queue, changes, MissingQueues::kCreate);
    if (altered) return done("alter");
    (void)refused(altered.error(), "alter");
  }

  void pause() {
    const std::string queue = any_source();
    const Pause what = random_.one_in(2) ? Pause{.deliveries = true} : Pause{.sends = true};
    const auto paused = engine_.pause_queue(queue, what);
    if (!paused) return (void)refused(paused.error(), "pause");
    step();
    const auto resumed = engine_.resume_queue(queue, what);
    if (!resumed) return (void)refused(resumed.error(), "resume");
    done("pause");
  }

  void scratch() {
    const auto check = [this](const auto& answer) {
      if (answer) return done("scratch");
      (void)refused(answer.error(), "scratch", {ErrorCode::kQueueNotFound});
    };
    switch (random_.below(6)) {
      case 0:
        return check(engine_.create_queue(kScratch));
      case 1:
        return check(engine_.purge_queue(kScratch));
      case 2:
        return check(engine_.delete_queue(kScratch));
      case 3:
        return check(engine_.send(kScratch, {.body = "scratch"}));
      case 4:
        return check(engine_.receive(kScratch, {.wait = 100ms}));
      default:
        (void)engine_.async_receive(kScratch, {.wait = 100ms}, once(check));
    }
  }

  void look() {
    const auto check = [this](const auto& answer) {
      if (answer) return done("look");
      (void)refused(answer.error(), "look");
    };
    switch (random_.below(3)) {
      case 0:
        return check(engine_.describe_queue(any_source()));
      case 1:
        return check(engine_.peek(any_source()));
      default:
        engine_.async_call([](Engine& engine) { return engine.list_dead_letters("dead"); }, once(check));
    }
  }

  Round& round_;
  Engine& engine_;
  Random random_;
  const std::size_t number_;
  std::size_t keys_ = 0;
  bool stopped_ = false;  // the engine does not work any more
  std::deque<Held> held_;
  std::optional<Engine::ReceiveToken> last_receive_;
};

}  // namespace

std::function<void()> make_caller(Round& round, std::uint64_t seed, std::size_t number) {
  return [caller = std::make_shared<Caller>(round, seed, number)] { caller->run(); };
}

}  // namespace holdfast::testing
