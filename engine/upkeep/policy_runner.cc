#include "engine/upkeep/policy_runner.h"

#include <algorithm>

#include "engine/codec/dead_letters/dead_letter_index.h"

namespace holdfast {
namespace {

// Returns the dead letter that died first, of those that the index has under an empty value of that kind.
Result<std::optional<AlertWatch::Oldest>> oldest(const Store& store, QueueId queue, IndexKind kind,
                                                 Timestamp time) {
  const std::string prefix = keys::posting_prefix(queue, kind, "");
  // In the index, dead letters whose message is here come before history.
  const auto scan = store.scan(Family::kDeadLetterIndex, prefix, prefix + '\x01');
  if (!scan->valid()) {
    if (auto status = scan->status(); !status) return tl::unexpected(status.error());
    return std::optional<AlertWatch::Oldest>();
  }
  const auto place = keys::parse_posting(scan->key());
  if (!place) return fail(ErrorCode::kCorruption, "a key of dead_letter_index does not decode");
  // A dead letter whose time comes from a clock that was set back since has no age yet.
  return std::optional(
      AlertWatch::Oldest{.age = std::max(Duration{0}, time - place->died_at), .seq = place->seq});
}

Result<AlertWatch::Measures> measure(const Store& store, QueueId queue, Timestamp time) {
  const auto oldest_of_all = oldest(store, queue, IndexKind::kAll, time);
  if (!oldest_of_all) return tl::unexpected(oldest_of_all.error());
  const auto oldest_unassigned = oldest(store, queue, IndexKind::kAssignee, time);
  if (!oldest_unassigned) return tl::unexpected(oldest_unassigned.error());
  const auto arrivals = ArrivalMinutes::read(store, queue, time);
  if (!arrivals) return tl::unexpected(arrivals.error());
  return AlertWatch::Measures{*oldest_of_all, *oldest_unassigned, *arrivals};
}

}  // namespace

Result<void> PolicyRunner::judge_alerts(const std::shared_ptr<Queue>& queue, Timestamp time) {
  const auto measures = measure(*engine_.store, queue->id, time);
  const LockedQueue locked(engine_.pipeline.gate(), *queue);
  if (queue->deleted()) return {};
  const AlertRules& rules = queue->options().alerts;
  const auto changes = measures ? queue->alerts.judge_all(rules, *measures, time)
                                : queue->alerts.judge_depth_again(rules, time);
  // An event is told when its group is committed, so there must be a group.
  if (!changes.empty()) engine_.pipeline.join(queue, Durability::kBuffered);
  alerts_.tell(*queue, changes, time);
  return measures ? Result<void>() : tl::unexpected(measures.error());
}

Result<void> PolicyRunner::run_policies(const std::shared_ptr<Queue>& queue, Timestamp time) {
  bool redrives = false;
  bool looks = false;
  {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    if (queue->deleted()) return {};
    alerts_.end_brake(queue, time);
    redrives = queue->auto_redrive_at <= time;
    if (redrives) queue->auto_redrive_at = time + queue->options().dead_letters.auto_redrive.every;
    looks = queue->alerts.next_look() <= time;
  }
  Result<void> redriven;
  Result<void> judged;
  if (redrives) redriven = auto_redriver_.auto_redrive(queue);
  if (looks) judged = judge_alerts(queue, time);
  const LockedQueue locked(engine_.pipeline.gate(), *queue);
  if (!judged) queue->alerts.look_again_at(engine_.now() + EngineContext::kPauseAfterError);
  engine_.scheduler.schedule(queue, queue->next_policy());
  return redriven ? judged : redriven;
}

}  // namespace holdfast
