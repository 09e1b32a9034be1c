#include "engine/dead_letters/index/dead_letter_columns.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "engine/dead_letters/index/posting_scan.h"
#include "holdfast/message.h"

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

// Returns what the filter asks of attributes, as far as an index can have it. The index has no attributes
// that are absent.
Attributes asked_attributes(const DeadLetterFilter& filter) {
  Attributes attributes = filter.attributes;
  if (filter.correlation_id)
    attributes.push_back({std::string(kCorrelationIdAttribute), *filter.correlation_id});
  if (filter.workflow_version)
    attributes.push_back({std::string(kWorkflowVersionAttribute), *filter.workflow_version});
  std::erase_if(attributes, [](const Attribute& attribute) { return attribute.value.empty(); });
  return attributes;
}

Result<IndexCount> count_of(const Store& store, QueueId queue, IndexKind kind, std::string_view value) {
  const auto row = store.get(Family::kDeadLetterIndex, keys::count(queue, kind, value));
  if (!row) return tl::unexpected(row.error());
  return row->has_value() ? decode_index_count(**row) : Result<IndexCount>(IndexCount{});
}

// Returns the count of all dead letters, each of which has a status.
Result<IndexCount> count_all(const Store& store, QueueId queue) {
  IndexCount all;
  for (auto status = DeadLetterStatus::kNew; status <= DeadLetterStatus::kAbandoned;
       status = static_cast<DeadLetterStatus>(static_cast<int>(status) + 1)) {
    auto count = count_of(store, queue, IndexKind::kStatus, index_value(status));
    if (!count) return count;
    all.here += count->here;
    all.history += count->history;
  }
  return all;
}

// Returns whether every dead letter, here or in history, was asked for the attribute when it came. The counts
// are read one by one while dead letters come and go, so the first one is read twice.
Result<bool> knows_of_all(const Store& store, QueueId queue, std::string_view name,
                          std::uint64_t IndexCount::*where) {
  const auto known = count_of(store, queue, IndexKind::kSearched, name);
  if (!known) return tl::unexpected(known.error());
  const auto all = count_all(store, queue);
  if (!all) return tl::unexpected(all.error());
  const auto again = count_of(store, queue, IndexKind::kSearched, name);
  if (!again) return tl::unexpected(again.error());
  return *known.*where == *all.*where && *again.*where == *all.*where;
}

// Returns the columns of those attributes that the index knows of all dead letters.
Result<std::vector<Column>> attribute_columns(const Store& store, QueueId queue,
                                              const DeadLetterFilter& filter,
                                              std::uint64_t IndexCount::*where) {
  std::vector<Column> columns;
  for (const auto& [name, value] : asked_attributes(filter)) {
    const auto known = knows_of_all(store, queue, name, where);
    if (!known) return tl::unexpected(known.error());
    if (!*known) continue;
    std::string indexed = index_value(name, searched_part(value));
    const auto count = count_of(store, queue, IndexKind::kAttribute, indexed);
    if (!count) return tl::unexpected(count.error());
    columns.push_back({IndexKind::kAttribute, std::move(indexed), *count.*where});
  }
  return columns;
}

}  // namespace

Result<std::vector<Column>> columns_of(const Store& store, QueueId queue, const DeadLetterFilter& filter) {
  std::vector<Column> columns = asked(filter);
  for (Column& column : columns) {
    // No value is longer than a key can say, so no dead letter has this one.
    if (column.value.size() > UINT16_MAX)
      return fail(ErrorCode::kLimitExceeded, "a text of the filter is too long");
    const auto count = count_of(store, queue, column.kind, column.value);
    if (!count) return tl::unexpected(count.error());
    column.count = count->here;
  }
  auto attributes = attribute_columns(store, queue, filter, &IndexCount::here);
  if (!attributes) return attributes;
  std::ranges::move(*attributes, std::back_inserter(columns));
  std::ranges::stable_sort(columns, {}, &Column::count);
  return columns;
}

Result<std::vector<Column>> history_columns_of(const Store& store, QueueId queue,
                                               const DeadLetterFilter& filter) {
  auto columns = attribute_columns(store, queue, filter, &IndexCount::history);
  if (columns) std::ranges::stable_sort(*columns, {}, &Column::count);
  return columns;
}

bool needs_scan(const DeadLetterFilter& filter, const std::vector<Column>& columns) {
  const auto indexed = std::ranges::count(columns, IndexKind::kAttribute, &Column::kind);
  const std::size_t wanted =
      filter.attributes.size() + (filter.correlation_id ? 1 : 0) + (filter.workflow_version ? 1 : 0);
  return !filter.body.empty() || std::cmp_less(indexed, wanted);
}

PlaceRange range_of(const DeadLetterFilter& filter, bool history) {
  // Keys have no time before the epoch.
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
