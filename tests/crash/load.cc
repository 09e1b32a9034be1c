#include "tests/crash/load.h"

#include <cstdlib>
#include <deque>
#include <iostream>
#include <sstream>

#include "holdfast/transaction.h"
#include "tests/crash/latency_log.h"
#include "tests/crash/log.h"
#include "tests/crash/queues.h"
#include "tests/support/engine_time.h"
#include "tests/support/random.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// A queue has up to this many messages, so that its size says something of the engine and not of the load.
constexpr std::uint64_t kBacklog = 2000;
// A thread has up to this many receipts that it has not used yet.
constexpr std::size_t kHeld = 1000;

struct Held {
  Receipt receipt;
  std::string queue;
  std::string key;
  std::uint32_t replays;
  Timestamp lease_expires_at;
};

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << "the load cannot go on: " << why << std::endl;
  std::_Exit(1);
}

class LoadThread {
 public:
  LoadThread(Broker& broker, Engine& engine, ManualClock& clock, std::uint64_t seed, std::uint64_t thread,
             std::uint64_t round)
      : broker_(broker),
        engine_(engine),
        clock_(clock),
        random_(seed + thread),
        thread_(thread),
        round_(round) {
    auto family = engine.open_family(kTransfers);
    if (!family) give_up(to_string(family.error()));
    transfers_ = *family;
  }

  void step() {
    clock_.advance(std::chrono::microseconds(random_.below(2000)));
    const std::uint64_t choice = random_.below(100);
    if (choice < 25) {
      send();
    } else if (choice < 50) {
      receive();
    } else if (choice < 98) {
      settle();
    } else if (choice < 99) {
      engine_.run_due();
    } else {
      redrive();
    }
  }

 private:
  template <class... Words>
  std::uint64_t pending(const Words&... words) {
    const std::uint64_t op = (round_ * 100 + thread_) * 10'000'000 + ++operations_;
    std::ostringstream line;
    line << "pending " << op;
    ((line << ' ' << words), ...);
    write_log_line(std::move(line).str());
    return op;
  }

  void settled(std::uint64_t op, const std::string& answer) {
    write_log_line("settled " + std::to_string(op) + " " + answer);
  }

  // A receipt is over when its lease has run out, and not before. Nothing else may be wrong with it.
  void settled(std::uint64_t op, const Held& held, const Result<void>& answer) {
    if (answer) return settled(op, "ok");
    const ErrorCode code = answer.error().code;
    const bool is_over = code == ErrorCode::kReceiptStale || code == ErrorCode::kMessageNotFound;
    if (!is_over || clock_.now() < held.lease_expires_at) give_up(to_string(answer.error()));
    settled(op, std::string(error_info(code).name));
  }

  std::string new_key() {
    return std::to_string(round_) + "-" + std::to_string(thread_) + "-" + std::to_string(++keys_);
  }
  std::string any_source() { return random_.one_in(4) ? "orders" : "work"; }

  // Draws a durability, in most cases that of the queue.
  std::optional<Durability> any_durability() {
    if (!random_.one_in(3)) return std::nullopt;
    return random_.one_in(2) ? Durability::kFsync : Durability::kBuffered;
  }

  bool has_backlog(const std::string& queue) {
    const auto info = engine_.describe_queue(queue);
    if (!info) give_up(to_string(info.error()));
    return info->counts.ready >= kBacklog;
  }

  void send() {
    const std::string queue = any_source();
    if (has_backlog(queue)) return;
    const SendOptions options{.durability = any_durability()};
    const Durability asked = options.durability.value_or(crash_queue(queue).options.durability);
    std::vector<Message> messages;
    std::vector<std::uint64_t> ops;
    for (std::uint64_t n = random_.between(1, 2); n > 0; --n) {
      const std::string key = new_key();
      messages.push_back(crash_message(key));
      ops.push_back(pending("send", queue, key, word_of(asked)));
    }
    const auto answers = broker_.send_batch(queue, std::move(messages), options);
    if (!answers) give_up(to_string(answers.error()));
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const Result<Sent>& answer = answers->at(i);
      if (!answer) give_up(to_string(answer.error()));
      settled(ops[i], "ok " + answer->id.to_string() + " " + word_of(answer->durability));
    }
  }

  void receive() {
    if (held_.size() >= kHeld) return settle();
    static const std::vector<std::string> names{"work",   "work",   "work", "work",
                                                "orders", "orders", "dead", "parked"};
    const std::string& queue = random_.pick(names);
    const std::uint64_t op = pending("receive", queue);
    const Timestamp started = clock_.now();
    const auto deliveries = broker_.receive(queue, {.max = random_.between(1, 3)});
    if (!deliveries) give_up(to_string(deliveries.error()));
    std::ostringstream answer;
    answer << "ok " << (clock_.now() - started) / crash_queue(queue).options.lease;
    for (const Delivery& delivery : *deliveries) {
      const std::string key = key_of(delivery.body, delivery.attributes);
      if (key.empty()) give_up("a message came out of " + queue + " that nobody sent");
      answer << ' ' << key << ' ' << delivery.deliveries << ' ' << delivery.replays;
      held_.push_back({delivery.receipt, queue, key, delivery.replays, delivery.lease_expires_at});
    }
    settled(op, std::move(answer).str());
  }

  void settle() {
    if (held_.empty()) return;
    const Held held = held_.front();
    held_.pop_front();
    const auto announce = [&](const char* verb) { return pending(verb, held.queue, held.key, held.replays); };
    const std::uint64_t choice = random_.below(100);
    // A parked message can only be acknowledged, since it has nowhere to go.
    if (choice < 40) {
      const auto op = announce("ack");
      settled(op, held, broker_.ack(held.receipt));
    } else if (choice < 50) {
      transfer(held);
    } else if (choice < 65 && held.queue != "parked") {
      const auto op = announce("reject");
      settled(op, held, broker_.reject(held.receipt, {.category = "c", .reason = reason_of(op)}));
    } else if (choice < 75) {
      const auto op = announce("release");
      const Failure failure{.reason = reason_of(op), .stack_trace = std::string(random_.below(3000), 's')};
      const Duration delay = random_.one_in(3) ? 200ms : 0ms;
      settled(op, held, broker_.release(held.receipt, {.delay = delay, .failure = failure}));
    } else if (choice < 90) {
      const auto op = announce("spare");
      settled(op, held, broker_.release(held.receipt, {.charge = false}));
    }
    // In the other cases the receipt is forgotten, and its lease runs out.
  }

  // Acknowledges one message and sends another together, with a row that says so.
  void transfer(const Held& held) {
    const std::string queue = any_source();
    const std::string key = new_key();
    const TransactionOptions options{.durability = any_durability().value_or(Durability::kFsync)};
    const std::uint64_t op =
        pending("transfer", held.queue, held.key, held.replays, queue, key, word_of(options.durability));
    Transaction transaction;
    transaction.ack(held.receipt).send(queue, crash_message(key)).put(transfers_, key, held.key);
    const auto done = engine_.commit(std::move(transaction), options);
    if (done) return settled(op, "ok " + done->sent.front().to_string() + " " + word_of(done->durability));
    settled(op, held, tl::unexpected(done.error()));
  }

  void redrive() {
    const std::uint64_t op = pending("redrive", "dead");
    const auto redriven = broker_.redrive("dead");
    if (!redriven) give_up(to_string(redriven.error()));
    settled(op, "ok");
  }

  Broker& broker_;
  Engine& engine_;
  ApplicationFamily transfers_;
  ManualClock& clock_;
  Random random_;
  const std::uint64_t thread_;
  const std::uint64_t round_;
  std::uint64_t operations_ = 0;
  std::uint64_t keys_ = 0;
  std::deque<Held> held_;
};

}  // namespace

void declare_crash_queues(Engine& engine) {
  for (const CrashQueue& queue : crash_queues()) {
    const auto declared = engine.create_queue(queue.name, queue.options, MissingQueues::kCreate);
    if (!declared) give_up(to_string(declared.error()));
  }
}

void run_load(Broker& broker, Engine& engine, ManualClock& clock, std::uint64_t seed, std::uint64_t thread,
              std::uint64_t round) {
  LoadThread load(broker, engine, clock, seed, thread, round);
  LatencyLog latencies;
  for (;;) latencies.time([&] { load.step(); });
}

}  // namespace holdfast::testing
