// These functions say what a filter means.
#include <algorithm>

#include "engine/base/helpers/text_match.h"
#include "engine/base/validation/validate.h"
#include "engine/dead_letters/index/dead_letter_walk.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

template <class T, class U>
bool agrees(const std::optional<T>& wanted, const U& value) {
  return !wanted || *wanted == value;
}

bool names(const DeadLetterFilter& filter, Seq seq, const DeadLetterRow& row) {
  if (filter.ids.empty() && filter.seqs.empty()) return true;
  const auto has = [&](const MessageId& id) { return std::ranges::find(filter.ids, id) != filter.ids.end(); };
  return std::ranges::find(filter.seqs, seq) != filter.seqs.end() || has(row.record.message_id) ||
         has(row.id);
}

// Returns how often the message was replayed, with the replay that made the record history, which the record
// does not count.
std::uint64_t replays_of(const DeadLetterRow& row) {
  return std::uint64_t{row.record.replays} + (row.triage.status == DeadLetterStatus::kReplayed ? 1 : 0);
}

}  // namespace

bool includes_history(const DeadLetterFilter& filter) {
  return filter.history || filter.status == DeadLetterStatus::kReplayed;
}

bool matches(const DeadLetterFilter& filter, const RecordKey& key, const DeadLetterRow& row) {
  const FailureRecord& record = row.record;
  return (!key.history || includes_history(filter)) &&
         (!filter.died_from || record.died_at >= *filter.died_from) &&
         (!filter.died_before || record.died_at < *filter.died_before) &&
         agrees(filter.cause, record.cause) && agrees(filter.category, record.category) &&
         agrees(filter.code, record.code) && agrees(filter.fingerprint, record.fingerprint) &&
         agrees(filter.source, record.source_queue) &&
         agrees(filter.consumer_version, record.consumer.version) &&
         agrees(filter.status, row.triage.status) && agrees(filter.assignee, row.triage.assignee) &&
         agrees(filter.correlation_id, record.correlation_id) &&
         agrees(filter.workflow_version, record.workflow_version) && replays_of(row) >= filter.min_replays &&
         contains(record.reason, filter.reason) && names(filter, key.seq, row);
}

Result<void> validate(const DeadLetterFilter& filter) {
  for (const std::size_t count : {filter.ids.size(), filter.seqs.size()}) {
    if (count <= limits::kFilterIds) continue;
    return fail(ErrorCode::kLimitExceeded, "the filter names " + std::to_string(count) +
                                               " dead letters, the limit is " +
                                               std::to_string(limits::kFilterIds));
  }
  if (filter.cause && !parse_death_cause(to_string(*filter.cause)))
    return fail(ErrorCode::kInvalidArgument, "filter.cause has an unknown value");
  if (filter.status && !parse_dead_letter_status(to_string(*filter.status)))
    return fail(ErrorCode::kInvalidArgument, "filter.status has an unknown value");
  if (auto ok = at_most(filter.reason.size(), limits::kReasonBytes, "filter.reason"); !ok) return ok;
  if (auto ok = at_most(filter.body.size(), limits::kFilterBodyBytes, "filter.body"); !ok) return ok;
  if (auto ok = at_most(filter.attributes.size(), limits::kFilterAttributes, "filter.attributes", "entries");
      !ok)
    return ok;
  for (const auto& [name, value] : filter.attributes) {
    if (name.empty()) return fail(ErrorCode::kInvalidArgument, "filter.attributes: a name is empty");
    if (auto ok = at_most(name.size(), limits::kAttributeNameBytes, "filter.attributes: a name"); !ok)
      return ok;
    if (auto ok = at_most(value.size(), limits::kAttributeValueBytes, "filter.attributes: a value"); !ok)
      return ok;
  }
  return {};
}

}  // namespace holdfast
