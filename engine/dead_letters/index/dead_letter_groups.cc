#include "engine/dead_letters/index/dead_letter_groups.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/dead_letters/index/count_scan.h"
#include "engine/dead_letters/index/dead_letter_columns.h"
#include "engine/dead_letters/index/dead_letter_view.h"
#include "engine/dead_letters/index/dead_letter_walk.h"
#include "engine/dead_letters/index/posting_scan.h"
#include "engine/services/redact.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

struct GroupTally {
  std::string value;  // as the index has it
  std::uint64_t count = 0;
  // Both are known if the group comes from a walk. For a group that comes from the counts, they are looked up
  // if it is shown.
  DeadLetterCursor first{};
  DeadLetterCursor last{};
};

void add(GroupTally& tally, const DeadLetterCursor& place) {
  if (++tally.count == 1) tally.first = tally.last = place;
  if (place.died_at < tally.first.died_at) tally.first = place;
  if (place.died_at >= tally.last.died_at) tally.last = place;
}

struct Tallies {
  std::vector<GroupTally> tallies;
  bool complete = true;  // everything that the filter means is counted
};

Result<Tallies> counted(const Store& store, QueueId queue, const GroupDeadLettersOptions& options) {
  Tallies result;
  const auto add_value = [&](std::string_view value, const IndexCount& count) {
    const std::uint64_t total = count.here + (options.filter.history ? count.history : 0);
    if (total > 0) result.tallies.push_back({.value = std::string(value), .count = total});
    return CountScan::kOn;
  };
  if (auto ok = for_each_count(store, queue, index_of(options.by), add_value); !ok)
    return tl::unexpected(ok.error());
  return result;
}

// Groups the dead letters that the filter means by their records, of which it reads at most `examine`.
Result<Tallies> walked(const Store& store, QueueId queue, const GroupDeadLettersOptions& options,
                       std::size_t examine) {
  std::unordered_map<std::string, GroupTally> by_value;
  auto rest = walk_dead_letters(store, queue, options.filter, {.examine = examine},
                                [&](const DeadLetterCursor& place, DeadLetterRow& row) {
                                  add(by_value[grouped_value(options.by, row)], place);
                                  return Walk::kOn;
                                });
  if (!rest) return tl::unexpected(rest.error());
  Tallies result{.tallies = {}, .complete = !rest->has_value()};
  result.tallies.reserve(by_value.size());
  for (auto& [value, tally] : by_value) {
    tally.value = value;
    result.tallies.push_back(std::move(tally));
  }
  return result;
}

// Returns whether the index alone says what the filter means.
Result<bool> is_indexed(const Store& store, QueueId queue, const DeadLetterFilter& filter) {
  if (!filter.ids.empty() || !filter.seqs.empty() || !filter.reason.empty() || filter.min_replays > 0 ||
      includes_history(filter))
    return false;
  // Records have these texts as a whole, and the index does not.
  for (const auto& text : {filter.correlation_id, filter.workflow_version}) {
    if (text && text->size() > limits::kSearchedValueBytes) return false;
  }
  const auto columns = columns_of(store, queue, filter);
  if (!columns) return tl::unexpected(columns.error());
  return !needs_scan(filter, *columns);
}

// Groups by the postings of the field of the groups. Those dead letters count that the postings of the
// filter's fields name too.
Result<std::vector<GroupTally>> intersected(const Store& store, QueueId queue,
                                            const GroupDeadLettersOptions& options) {
  const auto columns = columns_of(store, queue, options.filter);
  if (!columns) return tl::unexpected(columns.error());
  const PlaceRange range = range_of(options.filter, false);
  std::optional<SeqSet> wanted;
  if (!columns->empty()) {
    auto all = have_all(store, queue, *columns, range);
    if (!all) return tl::unexpected(all.error());
    wanted = *std::move(all);
  }
  std::vector<GroupTally> tallies;
  const auto read = for_each_posting_row(
      store, queue, index_of(options.by), [&](const PostingGroup& group, const std::vector<Seq>& seqs) {
        if (group.history || group.at < range.from.died_at || group.at >= range.end.died_at) return;
        for (const Seq seq : seqs) {
          if (wanted && !wanted->contains(seq)) continue;
          if (tallies.empty() || tallies.back().value != group.value) {
            tallies.push_back({.value = std::string(group.value)});
          }
          add(tallies.back(), {group.history, group.at, seq});
        }
      });
  if (!read) return tl::unexpected(read.error());
  return tallies;
}

// A few records are read sooner than all postings of a field.
constexpr std::size_t kFewRecords = 2'000;

Result<Tallies> filtered(const Store& store, QueueId queue, const GroupDeadLettersOptions& options) {
  const auto indexed = is_indexed(store, queue, options.filter);
  if (!indexed) return tl::unexpected(indexed.error());
  if (!*indexed) return walked(store, queue, options, limits::kGroupExamined);
  auto few = walked(store, queue, options, kFewRecords);
  if (!few || few->complete) return few;
  auto tallies = intersected(store, queue, options);
  if (!tallies) return tl::unexpected(tallies.error());
  return Tallies{.tallies = std::move(*tallies)};
}

// Keeps the `max` largest groups, in order.
void keep_largest(std::vector<GroupTally>& tallies, std::size_t max) {
  const auto larger = [](const GroupTally& a, const GroupTally& b) {
    return a.count != b.count ? a.count > b.count : a.value < b.value;
  };
  const auto kept = static_cast<std::ptrdiff_t>(std::min(max, tallies.size()));
  std::ranges::partial_sort(tallies, tallies.begin() + kept, larger);
  tallies.resize(static_cast<std::size_t>(kept));
}

// Looks up the first and the last death in the postings of a value.
Result<void> look_up_ends(const Store& store, QueueId queue, IndexKind kind, bool history,
                          GroupTally& tally) {
  bool any = false;
  for (const bool gone : {false, true}) {
    if (gone && !history) break;
    const DeadLetterCursor begin{.history = gone};
    const DeadLetterCursor end{gone, Timestamp::max(), Seq{0}};
    const PostingScan up(store, queue, kind, tally.value, begin, end);
    if (auto ok = up.status(); !ok) return ok;
    if (!up.valid()) continue;
    const PostingScan down(store, queue, kind, tally.value, begin, end, PostingOrder::kDown);
    const DeadLetterCursor first = up.place();
    const DeadLetterCursor last = down.valid() ? down.place() : first;
    if (!any || first.died_at < tally.first.died_at) tally.first = first;
    if (!any || last.died_at > tally.last.died_at) tally.last = last;
    any = true;
  }
  return {};
}

Result<DeadLetterGroup> shown(const Store& store, QueueId queue, const GroupDeadLettersOptions& options,
                              const GroupTally& tally) {
  DeadLetterGroup group{.value = shown_value(options.by, tally.value),
                        .count = tally.count,
                        .first_died_at = tally.first.died_at,
                        .last_died_at = tally.last.died_at,
                        .sample = {}};
  auto row = read_dead_letter(store, queue, {tally.last.history, tally.last.seq});
  if (!row) return tl::unexpected(row.error());
  if (*row) group.sample = view_of(tally.last, std::move(**row));
  redact(group.sample, options.redact);
  return group;
}

}  // namespace

IndexKind index_of(DeadLetterGrouping grouping) {
  switch (grouping) {
    case DeadLetterGrouping::kFingerprint:
      return IndexKind::kFingerprint;
    case DeadLetterGrouping::kCategory:
      return IndexKind::kCategory;
    case DeadLetterGrouping::kCode:
      return IndexKind::kCode;
    case DeadLetterGrouping::kCause:
      return IndexKind::kCause;
    case DeadLetterGrouping::kStatus:
      return IndexKind::kStatus;
    case DeadLetterGrouping::kAssignee:
      return IndexKind::kAssignee;
    case DeadLetterGrouping::kSource:
      return IndexKind::kSource;
    case DeadLetterGrouping::kConsumerVersion:
      break;
  }
  return IndexKind::kConsumerVersion;
}

std::string grouped_value(DeadLetterGrouping grouping, const DeadLetterRow& row) {
  switch (grouping) {
    case DeadLetterGrouping::kFingerprint:
      return index_value(row.record.fingerprint);
    case DeadLetterGrouping::kCategory:
      return row.record.category;
    case DeadLetterGrouping::kCode:
      return row.record.code;
    case DeadLetterGrouping::kCause:
      return index_value(row.record.cause);
    case DeadLetterGrouping::kStatus:
      return index_value(row.triage.status);
    case DeadLetterGrouping::kAssignee:
      return row.triage.assignee;
    case DeadLetterGrouping::kSource:
      return row.record.source_queue;
    case DeadLetterGrouping::kConsumerVersion:
      break;
  }
  return row.record.consumer.version;
}

std::string shown_value(DeadLetterGrouping grouping, std::string_view value) {
  switch (grouping) {
    case DeadLetterGrouping::kFingerprint:
      return to_string(fingerprint_in(value));
    case DeadLetterGrouping::kCause:
      return std::string(to_string(static_cast<DeathCause>(value.front())));
    case DeadLetterGrouping::kStatus:
      return std::string(to_string(static_cast<DeadLetterStatus>(value.front())));
    default:
      return std::string(value);
  }
}

Result<DeadLetterGroups> group_dead_letters(const Store& store, QueueId queue,
                                            const GroupDeadLettersOptions& options) {
  DeadLetterGroups result;
  const bool by_count =
      options.filter.empty() && (!options.filter.history || indexes_history(index_of(options.by)));
  auto grouped = by_count ? counted(store, queue, options) : filtered(store, queue, options);
  if (!grouped) return tl::unexpected(grouped.error());
  auto& [tallies, complete] = *grouped;
  result.complete = complete;
  for (const GroupTally& tally : tallies) result.total += tally.count;
  result.left_out = tallies.size() - std::min(tallies.size(), options.max);
  keep_largest(tallies, options.max);
  for (GroupTally& tally : tallies) {
    if (by_count) {
      auto found = look_up_ends(store, queue, index_of(options.by), options.filter.history, tally);
      if (!found) return tl::unexpected(found.error());
    }
    auto group = shown(store, queue, options, tally);
    if (!group) return tl::unexpected(group.error());
    result.groups.push_back(std::move(*group));
  }
  return result;
}

}  // namespace holdfast
