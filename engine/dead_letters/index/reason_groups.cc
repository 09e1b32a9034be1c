#include "engine/dead_letters/index/reason_groups.h"

#include <cstddef>

#include "engine/base/helpers/fingerprint.h"
#include "engine/base/helpers/text_match.h"
#include "engine/codec/dead_letters/dead_letter_row.h"
#include "engine/codec/encoding/keys.h"
#include "engine/dead_letters/index/count_scan.h"
#include "engine/dead_letters/index/posting_scan.h"

namespace holdfast {
namespace {

// To look at a group costs about what 16 records in a row do.
constexpr std::size_t kMostGroups = 1024;

Result<std::optional<std::vector<Column>>> all_groups(const Store& store, QueueId queue) {
  std::vector<Column> groups;
  bool too_many = false;
  const auto kind = IndexKind::kFingerprint;
  const auto read = for_each_count(store, queue, kind, [&](std::string_view value, const IndexCount& count) {
    if (count.here == 0) return CountScan::kOn;
    too_many = groups.size() == kMostGroups;
    if (too_many) return CountScan::kStop;
    groups.push_back({kind, std::string(value), count.here});
    return CountScan::kOn;
  });
  if (!read) return tl::unexpected(read.error());
  if (too_many) return std::nullopt;
  return groups;
}

// Returns whether dead letters of a fingerprint may contain `part` in their reasons. All reasons of a
// fingerprint have one form, so any one of them tells. Returns true also if the dead letter that was looked
// up has left since.
Result<bool> may_say(const Store& store, QueueId queue, const Column& group, std::string_view part) {
  const PlaceRange all = range_of({}, false);
  const PostingScan scan(store, queue, group.kind, group.value, all.from, all.end);
  if (!scan.valid()) {
    if (auto ok = scan.status(); !ok) return tl::unexpected(ok.error());
    return true;
  }
  const auto row = store.get(Family::kDeadLetters, keys::dead_letter(queue, {.seq = scan.place().seq}));
  if (!row) return tl::unexpected(row.error());
  if (!row->has_value()) return true;
  const auto reason = reason_of_dead_letter_row(**row);
  if (!reason) return tl::unexpected(reason.error());
  return may_contain(normalised(*reason), part);
}

}  // namespace

Result<std::optional<std::vector<Column>>> groups_that_may_say(const Store& store, QueueId queue,
                                                               std::string_view part) {
  auto groups = all_groups(store, queue);
  if (!groups || !*groups) return groups;
  std::vector<Column> result;
  for (Column& group : **groups) {
    const auto may = may_say(store, queue, group, part);
    if (!may) return tl::unexpected(may.error());
    if (*may) result.push_back(std::move(group));
  }
  return result;
}

}  // namespace holdfast
