// What a filter means.
#include <algorithm>

#include "engine/base/helpers/text_match.h"
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
         contains(record.reason, filter.reason) && names(filter, key.seq, row);
}

Result<void> validate(const DeadLetterFilter& filter) {
  for (const std::size_t count : {filter.ids.size(), filter.seqs.size()}) {
    if (count <= limits::kFilterIds) continue;
    return fail(ErrorCode::kLimitExceeded, "the filter names " + std::to_string(count) +
                                               " dead letters, the limit is " +
                                               std::to_string(limits::kFilterIds));
  }
  if (filter.reason.size() > limits::kReasonBytes) {
    return fail(ErrorCode::kLimitExceeded, "filter.reason has " + std::to_string(filter.reason.size()) +
                                               " bytes, the limit is " +
                                               std::to_string(limits::kReasonBytes));
  }
  return {};
}

}  // namespace holdfast
