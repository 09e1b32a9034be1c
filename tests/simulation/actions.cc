// What happens in a simulation, a step at a time.
#include <algorithm>
#include <span>

#include "simulation/simulation.h"
#include "support/engine_time.h"
#include "support/result_matchers.h"

namespace holdfast::simulation {
namespace {

constexpr std::size_t kRememberedReceipts = 200;

// It may leave without anybody's doing.
bool may_leave(const QueueOptions& options, const Message& message) {
  return message.time_to_live || options.max_length > 0;
}

bool may_be_dropped(const QueueOptions& options, const Message& message) {
  return (message.time_to_live && options.on_expiry == ExpiryPolicy::kDrop) ||
         (options.max_length > 0 && options.on_overflow == OverflowPolicy::kDropHead);
}

}  // namespace

void Simulation::note_synced(Durability durability) {
  if (durability == Durability::kFsync) ledger_.synced();
}

void Simulation::recover() {
  if (random_.one_in(2)) {
    note("the process dies");
    world_->kill();
  } else {
    note("the machine dies");
    world_->cut_power();
    ledger_.crashed();
  }
  // The opening's own commits are fsynced: what was there is there to stay.
  ledger_.synced();
}

void Simulation::reopen() {
  note("the engine is opened again");
  if (world_->reopen()) {
    ledger_.synced();
  } else {
    recover();
  }
}

void Simulation::recover_if(const Result<void>& answer) {
  if (!answer && answer.error().code == ErrorCode::kStorageFailed) recover();
}

void Simulation::recover_from(const char* verb, const Error& error) {
  if (error.code != ErrorCode::kStorageFailed) throw Violation(std::string(verb) + ": " + to_string(error));
  recover();
}

bool Simulation::must_happen(const char* verb, const std::function<Result<void>()>& call) {
  for (;;) {
    const Result<void> answer = call();
    note(verb, answer);
    if (answer) break;
    if (full_ && answer.error().code == ErrorCode::kDiskFull) return false;
    recover_from(verb, answer.error());
  }
  ledger_.synced();
  return true;
}

Message Simulation::any_message(const Subject& queue) {
  Message message;
  message.body = std::to_string(++bodies_);
  message.group = "g" + std::to_string(random_.below(3));
  message.priority = static_cast<std::uint32_t>(random_.below(queue.options.priorities));
  if (random_.one_in(3)) message.deduplication_id = "d" + std::to_string(random_.below(20));
  const bool may_expire =
      !queue.options.dead_letter_queue.empty() || queue.options.on_expiry == ExpiryPolicy::kDrop;
  if (may_expire && random_.one_in(15)) message.time_to_live = any_wait();
  return message;
}

void Simulation::send() {
  const Subject& queue = any_queue(false);
  // One for all, as they share rows then.
  const std::optional<Duration> delay = random_.one_in(4) ? std::optional(any_wait()) : std::nullopt;
  std::vector<Message> messages;
  std::vector<std::string> bodies;
  for (std::uint64_t n = random_.between(1, 5); n > 0; --n) {
    messages.push_back(any_message(queue));
    messages.back().delay = delay;
    const auto& ttl = messages.back().time_to_live;
    bodies.push_back(messages.back().body + (ttl ? ", expires after " + format_duration(*ttl) : ""));
  }
  SendOptions options{.request_id = any_request_id()};
  if (random_.one_in(2)) options.durability = Durability::kFsync;
  for (bool again = true; again;) {
    const auto answer = world_->engine().send_batch(queue.name, messages, options);
    const Result<void> outcome = answer ? Result<void>() : Result<void>(tl::unexpected(answer.error()));
    note("send", queue.name, bodies, outcome);
    const Timestamp visible_at = world_->now_at_least() + delay.value_or(Duration{0});
    for (std::size_t i = 0; i < messages.size(); ++i) {
      note_sent(queue, messages[i], visible_at,
                answer ? (*answer)[i] : Result<Sent>(tl::unexpected(answer.error())));
    }
    if (answer) note_synced(answer->front()->durability);
    if (answer && !options.request_id.empty()) remember(queue, messages, options, *answer);
    recover_if(outcome);
    again = !answer && answer.error().code == ErrorCode::kStorageFailed && !options.request_id.empty();
  }
}

Account Simulation::new_account(const Subject& queue, const Message& message, Timestamp visible_at) const {
  Account account{.queue = queue.name,
                  .visible_at = visible_at,
                  .priority = message.priority,
                  .prompt = !message.delay.has_value(),
                  .fleeting = may_be_dropped(queue.options, message)};
  if (message.time_to_live)
    account.expires_at = visible_at + (world_->now() - world_->now_at_least()) + *message.time_to_live;
  if (may_leave(queue.options, message)) {
    account.prompt = false;
    account.moved = true;
  }
  return account;
}

void Simulation::note_sent(const Subject& queue, const Message& message, Timestamp visible_at,
                           const Result<Sent>& answer) {
  if (!answer) {
    if (answer.error().code == ErrorCode::kDiskFull && full_) return;
    if (answer.error().code == ErrorCode::kQueueFull && queue.options.max_length > 0) return;
    if (answer.error().code != ErrorCode::kStorageFailed)
      throw Violation("send: " + to_string(answer.error()));
  }
  const bool names_itself =
      queue.options.deduplication != Deduplication::kNone && !message.deduplication_id.empty();
  if (names_itself) note_named(queue, message, answer);
  if (!answer) return ledger_.sent(message.body, new_account(queue, message, visible_at), false);
  if (answer->duplicate && !names_itself) throw Violation("message " + message.body + " is no duplicate");
  if (!answer->duplicate) note_there(queue, message, visible_at, answer->id);
}

void Simulation::note_named(const Subject& queue, const Message& message, const Result<Sent>& answer) {
  const std::pair key(queue.name, message.deduplication_id);
  const Duration window = queue.options.deduplication_window;
  const bool is_new = !answer || !answer->duplicate;
  const auto known = known_ids_.find(key);
  const bool must_be_known = known != known_ids_.end() && world_->now() < known->second.first + window;
  if (answer && must_be_known && (is_new || answer->id != known->second.second))
    throw Violation("message " + message.body + " was sent before and is there again");
  const auto tried = tried_ids_.find(key);
  const bool may_be_known = tried != tried_ids_.end() && world_->now_at_least() < tried->second + window;
  if (!is_new && !may_be_known)
    throw Violation("message " + message.body + " is called a duplicate, and nothing like it was sent");
  if (is_new) tried_ids_[key] = world_->now();
  if (answer && is_new && answer->durability == Durability::kFsync)
    known_ids_[key] = {world_->now_at_least(), answer->id};
}

void Simulation::note_there(const Subject& queue, const Message& message, Timestamp visible_at,
                            const std::optional<MessageId>& id) {
  Account account = new_account(queue, message, visible_at);
  account.id = id;
  ledger_.sent(message.body, std::move(account), true);
  if (queue.options.grouping == Grouping::kOrdered && !message.delay)
    ledger_.lined_up(queue.name, message.group, message.body);
}

void Simulation::receive() {
  const Subject& queue = any_queue(random_.one_in(5));
  const bool begun = !random_.one_in(6);
  const auto answer = world_->engine().receive(
      queue.name, {.max = random_.between(1, 10), .consumer = {"c", "1"}, .begun = begun});
  if (!answer) {
    note("receive", queue.name, error_info(answer.error().code).name);
    // What was handed out in the failed write is nobody's; its leases may be there all the same.
    ledger_.may_move(queue.name);
    return recover_from("receive", answer.error());
  }
  std::vector<std::string> bodies;
  for (const Delivery& delivery : *answer) {
    bodies.emplace_back(delivery.body);
    receipts_.push_back(delivery.receipt);
  }
  note(begun ? "receive" : "prefetch", queue.name, bodies);
  take_in(queue, *answer, begun);
  while (receipts_.size() > kRememberedReceipts) receipts_.pop_front();
}

void Simulation::take_in(const Subject& queue, const Deliveries& deliveries, bool begun) {
  if (queue.options.grouping == Grouping::kOrdered)
    ledger_.check_order(queue.name, deliveries, world_->now(), fewest_until_death(queue.options));
  if (queue.options.priorities > 1 && queue.options.priority_aging == Duration{0})
    ledger_.check_priorities(queue.name, deliveries);
  for (const Delivery& delivery : deliveries)
    ledger_.delivered(queue.name, delivery, begun, world_->now_at_least(), world_->now());
}

// Mostly within the window, now and then beyond its horizon.
Duration Simulation::any_wait() {
  return std::chrono::milliseconds(random_.one_in(3) ? random_.between(60'000, 200'000)
                                                     : random_.between(1, 2000));
}

std::vector<Receipt> Simulation::take_receipts() {
  std::vector<Receipt> taken;
  for (std::uint64_t n = std::min<std::uint64_t>(random_.between(1, 5), receipts_.size()); n > 0; --n) {
    const auto at = receipts_.begin() + static_cast<std::ptrdiff_t>(random_.below(receipts_.size()));
    taken.push_back(*at);
    // Now and then one is used again.
    if (!random_.one_in(10)) receipts_.erase(at);
  }
  std::ranges::sort(taken);
  taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
  return taken;
}

struct Simulation::Settlement {
  std::string verb;
  Settling settling;
  std::optional<Duration> delay;  // nothing: as the queue's retry policy says
  std::string request_id;         // only acks and rejects have one
  bool to_tail = false;
  std::function<std::vector<Result<void>>(std::span<const Receipt>)> call;
};

Simulation::Settlement Simulation::any_settlement() {
  const std::optional<Duration> delay = random_.one_in(3)   ? std::optional(any_wait())
                                        : random_.one_in(2) ? std::optional(Duration{0})
                                                            : std::nullopt;
  const std::optional<ReturnTo> to = random_.one_in(4) ? std::optional(ReturnTo::kTail) : std::nullopt;
  const auto release = [this, delay, to](bool count) {
    return [this, delay, to, count](std::span<const Receipt> receipts) {
      return world_->engine().release_batch(receipts, {.delay = delay, .count = count, .to = to});
    };
  };
  const std::string request_id = any_request_id();
  switch (random_.below(7)) {
    case 6:
      return {"begin",
              Settling::kBegin,
              {},
              {},
              false,
              [this](std::span<const Receipt> receipts) {
                return world_->engine().begin_batch(receipts); }};
    case 0:
      return {to ? "release to the tail" : "release",
              Settling::kRelease,
              delay,
              {},
              to.has_value(),
              release(true)};
    case 1:
      return {"release uncharged", Settling::kReleaseUncharged, delay, {}, to.has_value(), release(false)};
    case 2:
      return {"reject",
              Settling::kReject,
              delay,
              request_id,
              false,
              [this, request_id](std::span<const Receipt> receipts) {
                return world_->engine().reject_batch(receipts, {.category = "c", .reason = "r"},
                                                     {.request_id = request_id});
              }};
    default:
      return {"ack",
              Settling::kAck,
              delay,
              request_id,
              false,
              [this, request_id](std::span<const Receipt> receipts) {
                return world_->engine().ack_batch(receipts, {.request_id = request_id});
              }};
  }
}

// Ordered queues have no tail, and dead letters keep their place.
bool Simulation::has_no_tail(const Receipt& receipt) const {
  const Account& account = ledger_.account(*ledger_.body_of(receipt));
  return std::ranges::any_of(queues_, [&](const Subject& subject) {
    return (subject.name == account.queue && subject.dead_letters) ||
           (subject.name == account.source && subject.options.grouping == Grouping::kOrdered);
  });
}

void Simulation::note_settled(const Settlement& settlement, const std::vector<Receipt>& receipts,
                              const std::vector<Result<void>>& answers) {
  std::vector<std::string> outcomes;
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    outcomes.push_back(*ledger_.body_of(receipts[i]) +
                       (answers[i] ? " ok" : " " + std::string(error_info(answers[i].error().code).name)));
  }
  note(settlement.verb + (settlement.delay ? ", delay " + format_duration(*settlement.delay) : ""), outcomes);
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    const bool refused = settlement.to_tail && !answers[i] &&
                         answers[i].error().code == ErrorCode::kInvalidArgument && has_no_tail(receipts[i]);
    if (refused) continue;
    const bool rejects = settlement.settling == Settling::kReject;
    const Settling settling = rejects ? outcome_of_reject(receipts[i]) : settlement.settling;
    const Timestamp until =
        world_->now_at_least() + settlement.delay.value_or(ledger_.retry_after(receipts[i], settling));
    ledger_.settled(receipts[i], settling, answers[i], world_->now(), until);
  }
}

void Simulation::settle() {
  const std::vector<Receipt> receipts = take_receipts();
  if (receipts.empty()) return;
  const Settlement settlement = any_settlement();
  std::vector<Result<void>> answers;
  for (bool again = true; again;) {
    answers = settlement.call(receipts);
    note_settled(settlement, receipts, answers);
    const bool failed = std::ranges::any_of(answers, [](const Result<void>& answer) {
      return !answer && answer.error().code == ErrorCode::kStorageFailed;
    });
    if (failed) recover();
    again = failed && !settlement.request_id.empty();
  }
  if (settlement.settling == Settling::kBegin)
    receipts_.insert(receipts_.end(), receipts.begin(), receipts.end());
  const bool has_effect = std::ranges::any_of(answers, &Result<void>::has_value);
  if (has_effect && !settlement.request_id.empty()) check_repeated(answers, settlement.call(receipts));
}

void Simulation::extend() {
  const std::vector<Receipt> receipts = take_receipts();
  if (receipts.empty()) return;
  const Duration lease = std::chrono::milliseconds(random_.between(50, 5000));
  const auto answers = world_->engine().extend_batch(receipts, lease);
  bool failed = false;
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    note("extend", *ledger_.body_of(receipts[i]), answers[i]);
    ledger_.settled(receipts[i], Settling::kExtend, answers[i], world_->now(),
                    world_->now_at_least() + lease);
    failed |= !answers[i] && answers[i].error().code == ErrorCode::kStorageFailed;
    if (answers[i]) receipts_.push_back(receipts[i]);
  }
  if (failed) recover();
}

void Simulation::pass_time() {
  if (random_.one_in(20)) {
    note("the clock jumps back");
    return world_->advance(-std::chrono::milliseconds(random_.between(1, 20'000)));
  }
  world_->advance(std::chrono::milliseconds(random_.one_in(10) ? random_.between(1000, 100'000)
                                                               : random_.between(0, 500)));
  note("time passes, it is", format_duration(world_->now_at_least() - testing::kTestEpoch));
}

void Simulation::do_due() {
  note("what is due");
  world_->engine().run_due();
  if (random_.one_in(4)) world_->maintain();
}

void Simulation::break_something() {
  if (random_.one_in(4)) {
    full_ = !full_;
    note(full_ ? "the disk is full" : "the disk has space");
    return world_->set_full(full_);
  }
  if (!breaks_) return reopen();
  switch (random_.below(4)) {
    case 0:
      return reopen();
    case 1:
      note("a write will fail");
      return world_->break_a_write(random_);
    default:
      return recover();
  }
}

void Simulation::begin(std::uint64_t step) {
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;  // spreads the steps over all seeds
  step_ = step;
  random_ = testing::Random(seed_ ^ (step * kGoldenRatio));
}

void Simulation::step(std::uint64_t number) {
  using Action = void (Simulation::*)();
  struct Share {
    std::uint64_t of_hundred;
    Action action;
  };
  static constexpr Share kShares[] = {
      {20, &Simulation::send},           {21, &Simulation::receive},    {15, &Simulation::settle},
      {4, &Simulation::extend},          {3, &Simulation::redrive},     {3, &Simulation::redrive_task},
      {2, &Simulation::triage},          {2, &Simulation::discard},     {7, &Simulation::transact},
      {3, &Simulation::repeat_send},     {6, &Simulation::pass_time},   {5, &Simulation::do_due},
      {4, &Simulation::break_something}, {1, &Simulation::look},        {1, &Simulation::pause},
      {1, &Simulation::alter},           {1, &Simulation::come_and_go},
  };
  begin(number);
  std::uint64_t choice = random_.below(100);
  for (const auto& [share, action] : kShares) {
    if (choice < share) return (this->*action)();
    choice -= share;
  }
}

}  // namespace holdfast::simulation
