// What becomes of deliveries in a simulation, one step at a time.
#include <algorithm>

#include "tests/simulation/simulation.h"

namespace holdfast::simulation {

std::vector<Receipt> Simulation::take_receipts() {
  std::vector<Receipt> taken;
  for (std::uint64_t n = std::min<std::uint64_t>(random_.between(1, 5), receipts_.size()); n > 0; --n) {
    const auto at = receipts_.begin() + static_cast<std::ptrdiff_t>(random_.below(receipts_.size()));
    taken.push_back(*at);
    // Sometimes a receipt is kept, and is used again.
    if (!random_.one_in(10)) receipts_.erase(at);
  }
  std::ranges::sort(taken);
  taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
  return taken;
}

struct Simulation::Settlement {
  std::string verb;
  Settling settling;
  std::optional<Duration> delay;  // none: the queue's retry policy decides
  SettleOptions options;          // the options of acks and rejects
  bool to_tail = false;
  std::function<Outcomes(Receipts)> call;
};

Failure Simulation::any_failure(Receipts receipts) {
  Failure failure{.reason = Ledger::said_of(ledger_.may_say({receipts.begin(), receipts.end()}))};
  if (random_.one_in(2)) failure.category = "c";
  if (random_.one_in(4)) failure.stack_trace = std::string(random_.below(20'000), 's');
  return failure;
}

Simulation::Settlement Simulation::any_settlement() {
  const std::optional<Duration> delay = random_.one_in(3)   ? std::optional(any_wait())
                                        : random_.one_in(2) ? std::optional(Duration{0})
                                                            : std::nullopt;
  const std::optional<ReturnTo> to = random_.one_in(4) ? std::optional(ReturnTo::kTail) : std::nullopt;
  const auto release = [this, delay, to](bool count) {
    return [this, delay, to, count](Receipts receipts) {
      ReleaseOptions options{.delay = delay, .count = count, .to = to};
      if (count) options.failure = any_failure(receipts);
      return call_release(receipts, options);
    };
  };
  SettleOptions options{.request_id = any_request_id()};
  if (random_.one_in(3)) options.durability = random_.one_in(2) ? Durability::kFsync : Durability::kBuffered;
  switch (random_.below(7)) {
    case 6:
      return {"start", Settling::kStart,
              {},      {},
              false,   [this](Receipts receipts) { return call_start(receipts); }};
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
      return {"reject", Settling::kReject, delay, options, false, [this, options](Receipts receipts) {
                return call_reject(receipts, {.category = "c", .reason = "r"}, options);
              }};
    default:
      return {"ack", Settling::kAck,
              delay, options,
              false, [this, options](Receipts receipts) { return call_ack(receipts, options); }};
  }
}

// Returns whether the message cannot go to the tail: ordered queues have none, and dead letters keep their
// places. If a crash may have undone a reject of the message, it is not known where it is.
bool Simulation::has_no_tail(const Receipt& receipt) const {
  const Account& account = ledger_.account(*ledger_.body_of(receipt));
  return account.queue.empty() || std::ranges::any_of(queues_, [&](const Subject& subject) {
           return (subject.name == account.queue && subject.dead_letters) ||
                  (subject.name == account.source && subject.options.grouping.mode == Grouping::kOrdered);
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
  // Entries of other queues may have been settled later, so the fsynced ones are noted first.
  std::vector<bool> fsynced;
  for (std::size_t i = 0; i < receipts.size(); ++i)
    fsynced.push_back(answers[i] && is_fsynced(settlement, receipts[i]));
  for (const bool first : {true, false}) {
    for (std::size_t i = 0; i < receipts.size(); ++i)
      if (fsynced[i] == first) note_outcome(settlement, receipts[i], answers[i]);
    if (first && std::ranges::find(fsynced, true) != fsynced.end()) ledger_.synced();
  }
}

bool Simulation::is_fsynced(const Settlement& settlement, const Receipt& receipt) const {
  if (settlement.settling != Settling::kAck && settlement.settling != Settling::kReject) return false;
  if (!ledger_.surely_holds(receipt, world_->now())) return false;
  const auto queue =
      std::ranges::find(queues_, ledger_.account(*ledger_.body_of(receipt)).queue, &Subject::name);
  return queue != queues_.end() &&
         settlement.options.durability.value_or(queue->options.durability) == Durability::kFsync;
}

void Simulation::note_outcome(const Settlement& settlement, const Receipt& receipt,
                              const Result<void>& answer) {
  mark(Mark::kStaleReceipt, !answer && answer.error().code == ErrorCode::kReceiptStale);
  const bool refused = settlement.to_tail && !answer && answer.error().code == ErrorCode::kInvalidArgument &&
                       has_no_tail(receipt);
  if (refused) return;
  const bool rejects = settlement.settling == Settling::kReject;
  const Settling settling = rejects ? outcome_of_reject(receipt) : settlement.settling;
  const Timestamp until =
      world_->now_at_least() + settlement.delay.value_or(ledger_.retry_after(receipt, settling));
  ledger_.settled(receipt, settling, answer, world_->now(), until);
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
    again = failed && !settlement.options.request_id.empty();
  }
  if (settlement.settling == Settling::kStart)
    receipts_.insert(receipts_.end(), receipts.begin(), receipts.end());
  const bool has_effect = std::ranges::any_of(answers, &Result<void>::has_value);
  if (has_effect && !settlement.options.request_id.empty())
    check_repeated(answers, settlement.call(receipts));
}

void Simulation::extend() {
  const std::vector<Receipt> receipts = take_receipts();
  if (receipts.empty()) return;
  const Duration lease = std::chrono::milliseconds(random_.between(50, 5000));
  ExtendOptions options;
  if (random_.one_in(4)) options.lets_run_out = any_failure(receipts);
  const Outcomes answers = call_extend(receipts, lease, options);
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

}  // namespace holdfast::simulation
