#include "tests/simulation/actions/settle_actions.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

namespace holdfast::simulation {

struct SettleActions::Settlement {
  std::string verb;
  Settling settling;
  std::optional<Duration> delay;  // none: the queue's retry policy decides
  SettleOptions options;          // the options of acks and rejects
  bool to_tail = false;
  std::function<Calls::Outcomes(Calls::Receipts)> call;
};

void SettleActions::settle() {
  const std::vector<Receipt> receipts = deliveries_.take_receipts();
  if (receipts.empty()) return;
  const Settlement settlement = any_settlement();
  std::vector<Result<void>> answers;
  for (bool again = true; again;) {
    answers = settlement.call(receipts);
    note_settled(settlement, receipts, answers);
    const bool failed = std::ranges::any_of(answers, [](const Result<void>& answer) {
      return !answer && answer.error().code == ErrorCode::kStorageFailed;
    });
    if (failed) recovery_.recover();
    again = failed && !settlement.options.request_id.empty();
  }
  if (settlement.settling == Settling::kStart)
    for (const Receipt& receipt : receipts) deliveries_.keep(receipt);
  const bool has_effect = std::ranges::any_of(answers, &Result<void>::has_value);
  if (has_effect && !settlement.options.request_id.empty())
    repeats_.check_repeated(answers, settlement.call(receipts));
}

void SettleActions::extend() {
  const std::vector<Receipt> receipts = deliveries_.take_receipts();
  if (receipts.empty()) return;
  const Duration lease = std::chrono::milliseconds(run_.random.between(50, 5000));
  ExtendOptions options;
  if (run_.random.one_in(4)) options.lets_run_out = deliveries_.any_failure(receipts);
  const Calls::Outcomes answers = calls_.call_extend(receipts, lease, options);
  bool failed = false;
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    run_.note("extend", *run_.ledger.body_of(receipts[i]), answers[i]);
    run_.ledger.settled(receipts[i], Settling::kExtend, answers[i], run_.world->now(),
                        run_.world->now_at_least() + lease);
    failed |= !answers[i] && answers[i].error().code == ErrorCode::kStorageFailed;
    if (answers[i]) deliveries_.keep(receipts[i]);
  }
  if (failed) recovery_.recover();
}

SettleActions::Settlement SettleActions::any_settlement() {
  const std::optional<Duration> delay = run_.random.one_in(3)   ? std::optional(run_.any_wait())
                                        : run_.random.one_in(2) ? std::optional(Duration{0})
                                                                : std::nullopt;
  const std::optional<ReturnTo> to = run_.random.one_in(4) ? std::optional(ReturnTo::kTail) : std::nullopt;
  const auto release = [this, delay, to](bool charge) {
    return [this, delay, to, charge](Calls::Receipts receipts) {
      ReleaseOptions options{.delay = delay, .charge = charge, .to = to};
      if (charge) options.failure = deliveries_.any_failure(receipts);
      return calls_.call_release(receipts, options);
    };
  };
  SettleOptions options{.request_id = calls_.any_request_id()};
  if (run_.random.one_in(3))
    options.durability = run_.random.one_in(2) ? Durability::kFsync : Durability::kBuffered;
  switch (run_.random.below(7)) {
    case 6:
      return {"start", Settling::kStart,
              {},      {},
              false,   [this](Calls::Receipts receipts) { return calls_.call_start(receipts); }};
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
      return {"reject", Settling::kReject, delay, options, false, [this, options](Calls::Receipts receipts) {
                return calls_.call_reject(receipts, {.category = "c", .reason = "r"}, options);
              }};
    default:
      return {
          "ack", Settling::kAck,
          delay, options,
          false, [this, options](Calls::Receipts receipts) { return calls_.call_ack(receipts, options); }};
  }
}

// Returns whether the message cannot go to the tail: ordered queues have none, and dead letters keep their
// places. If a crash may have undone a reject of the message, it is not known where it is.
bool SettleActions::has_no_tail(const Receipt& receipt) const {
  const Account& account = run_.ledger.account(*run_.ledger.body_of(receipt));
  return account.queue.empty() || std::ranges::any_of(run_.queues, [&](const Subject& subject) {
           return (subject.name == account.queue && subject.dead_letters) ||
                  (subject.name == account.source && subject.options.grouping.mode == Grouping::kOrdered);
         });
}

bool SettleActions::is_fsynced(const Settlement& settlement, const Receipt& receipt) const {
  if (settlement.settling != Settling::kAck && settlement.settling != Settling::kReject) return false;
  if (!run_.ledger.surely_holds(receipt, run_.world->now())) return false;
  const auto queue = std::ranges::find(run_.queues, run_.ledger.account(*run_.ledger.body_of(receipt)).queue,
                                       &Subject::name);
  return queue != run_.queues.end() &&
         settlement.options.durability.value_or(queue->options.durability) == Durability::kFsync;
}

void SettleActions::note_settled(const Settlement& settlement, const std::vector<Receipt>& receipts,
                                 const std::vector<Result<void>>& answers) {
  std::vector<std::string> outcomes;
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    outcomes.push_back(*run_.ledger.body_of(receipts[i]) +
                       (answers[i] ? " ok" : " " + std::string(error_info(answers[i].error().code).name)));
  }
  run_.note(settlement.verb + (settlement.delay ? ", delay " + format_duration(*settlement.delay) : ""),
            outcomes);
  // Entries of other queues may have been settled later, so the fsynced ones are noted first.
  std::vector<bool> fsynced;
  for (std::size_t i = 0; i < receipts.size(); ++i)
    fsynced.push_back(answers[i] && is_fsynced(settlement, receipts[i]));
  for (const bool first : {true, false}) {
    for (std::size_t i = 0; i < receipts.size(); ++i)
      if (fsynced[i] == first) note_outcome(settlement, receipts[i], answers[i]);
    if (first && std::ranges::find(fsynced, true) != fsynced.end()) run_.ledger.synced();
  }
}

void SettleActions::note_outcome(const Settlement& settlement, const Receipt& receipt,
                                 const Result<void>& answer) {
  run_.mark(Mark::kStaleReceipt, !answer && answer.error().code == ErrorCode::kReceiptStale);
  const bool refused = settlement.to_tail && !answer && answer.error().code == ErrorCode::kInvalidArgument &&
                       has_no_tail(receipt);
  if (refused) return;
  const bool rejects = settlement.settling == Settling::kReject;
  const Settling settling = rejects ? deliveries_.outcome_of_reject(receipt) : settlement.settling;
  const Timestamp until =
      run_.world->now_at_least() + settlement.delay.value_or(run_.ledger.retry_after(receipt, settling));
  run_.ledger.settled(receipt, settling, answer, run_.world->now(), until);
}

}  // namespace holdfast::simulation
