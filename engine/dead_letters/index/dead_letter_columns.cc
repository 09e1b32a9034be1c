#include "engine/dead_letters/index/dead_letter_columns.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "engine/dead_letters/index/posting_scan.h"

namespace holdfast {

namespace {

std::vector<Column> asked(const DeadLetterFilter& filter) {
  std::vector<Column> result;
  const auto add_text = [&](IndexKind kind, const std::optional<std::string>& value) {
    if (value) result.push_back({kind, *value});
  };
  add_text(IndexKind::kCategory, filter.category);
  add_text(IndexKind::kCode, filter.code);
  add_text(IndexKind::kSource, filter.source);
  add_text(IndexKind::kConsumerVersion, filter.consumer_version);
  add_text(IndexKind::kAssignee, filter.assignee);
  if (filter.fingerprint) result.push_back({IndexKind::kFingerprint, index_value(*filter.fingerprint)});
  if (filter.status) result.push_back({IndexKind::kStatus, index_value(*filter.status)});
  if (filter.cause) result.push_back({IndexKind::kCause, index_value(*filter.cause)});
  return result;
}

}  // namespace

Result<std::vector<Column>> columns_of(const Store& store, QueueId queue, const DeadLetterFilter& filter) {
  std::vector<Column> columns = asked(filter);
  for (Column& column : columns) {
    // No value is longer than a key can say; this one is nobody's.
    if (column.value.size() > UINT16_MAX)
      return fail(ErrorCode::kLimitExceeded, "a text of the filter is too long");
    auto row = store.get(Family::kDeadLetterIndex, keys::count(queue, column.kind, column.value));
    if (!row) return tl::unexpected(row.error());
    if (!row->has_value()) continue;
    const auto count = decode_index_count(**row);
    if (!count) return tl::unexpected(count.error());
    column.count = count->here;
  }
  std::ranges::stable_sort(columns, {}, &Column::count);
  return columns;
}

PlaceRange range_of(const DeadLetterFilter& filter, bool history) {
  // Keys hold no time before the epoch.
  const auto place = [&](Timestamp time) {
    return DeadLetterCursor{history, std::max(time, Timestamp{}), Seq{0}};
  };
  return {place(filter.died_from.value_or(Timestamp{})),
          place(filter.died_before.value_or(Timestamp::max()))};
}

Result<SeqSet> have_all(const Store& store, QueueId queue, const std::vector<Column>& columns,
                        const PlaceRange& range) {
  SeqSet seqs;
  for (const Column& column : columns) {
    auto these = have_any(store, queue, {column}, range);
    if (!these) return these;
    if (&column == columns.data()) {
      seqs = *std::move(these);
    } else {
      seqs.intersect(*these);
    }
  }
  return seqs;
}

Result<SeqSet> have_any(const Store& store, QueueId queue, const std::vector<Column>& columns,
                        const PlaceRange& range) {
  SeqSet seqs;
  for (const Column& column : columns) {
    PostingScan scan(store, queue, column.kind, column.value, range.from, range.end);
    for (; scan.valid(); scan.next()) seqs.insert(scan.place().seq);
    if (auto ok = scan.status(); !ok) return tl::unexpected(ok.error());
  }
  return seqs;
}

}  // namespace holdfast
