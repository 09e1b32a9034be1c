#include "engine/policies/redrive_verdict.h"

#include <algorithm>

namespace holdfast {
namespace {

Duration backoff(const AutoRedrive& policy, std::uint32_t replays) {
  Duration wait = policy.backoff;
  if (wait == Duration{0}) return wait;  // no doubling would end it
  for (; replays > 0 && wait < policy.backoff_max; --replays) wait *= 2;
  return std::min(wait, policy.backoff_max);
}

// Returns a stamp as it counts now. A stamp that lies in the future comes from a clock that was set back
// before the engine was opened, so it is at least as old as the opening.
Timestamp no_later(Timestamp stamp, const RedriveMoment& now) {
  return stamp > now.time ? std::min(stamp, now.opened_at) : stamp;
}

// Returns since when a dead letter has been failing, for the bound on that time. A message that expired or
// made room may never have failed.
Timestamp failing_since(const FailureRecord& record) {
  return record.first_failed_at == Timestamp{} ? first_death_of(record).died_at : record.first_failed_at;
}

// Returns since when a dead letter that is to be archived is kept for the policy's give_up_after. If it was
// imported, or its status was set, after its death, the time begins anew. Otherwise the next round would undo
// an import.
Timestamp kept_from(const FailureRecord& record, const Triage& triage, const RedriveMoment& now) {
  return triage.status_since > no_later(record.died_at, now) ? triage.status_since : failing_since(record);
}

}  // namespace

RedriveVerdict judge(const AutoRedrive& policy, const FailureRecord& record, const Triage& triage,
                     const RedriveMoment& now) {
  // A dead letter that people look into is left to them.
  const bool of_people =
      triage.status == DeadLetterStatus::kInvestigating || triage.status == DeadLetterStatus::kAbandoned;
  const bool retryable = policy.categories.empty() ||
                         std::ranges::find(policy.categories, record.category) != policy.categories.end();
  if (of_people || !retryable) return RedriveVerdict::kLeave;
  const bool archives = policy.on_give_up == OnGiveUp::kArchive;
  const Timestamp since = archives ? kept_from(record, triage, now) : failing_since(record);
  if (policy.give_up_after != Duration{0} && no_later(since, now) + policy.give_up_after <= now.time)
    return archives ? RedriveVerdict::kArchive : RedriveVerdict::kPark;
  if (record.replays >= policy.max_replays) return RedriveVerdict::kPark;
  const Timestamp due = no_later(record.died_at, now) + backoff(policy, record.replays);
  return due <= now.time ? RedriveVerdict::kRedrive : RedriveVerdict::kLeave;
}

}  // namespace holdfast
