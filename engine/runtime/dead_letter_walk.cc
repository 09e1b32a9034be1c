#include "runtime/dead_letter_walk.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "codec/keys.h"
#include "runtime/posting_scan.h"

namespace holdfast {
namespace {

struct Column {
  IndexKind kind;
  std::string value;
  std::optional<std::uint64_t> count = {};  // of dead letters that are here, if it is known
};

// The fields of the filter that have an index.
std::vector<Column> columns(const DeadLetterFilter& filter) {
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

// The column that the fewest dead letters have.
Result<Column> most_selective(const Store& store, QueueId queue, const DeadLetterFilter& filter) {
  Column best{IndexKind::kAll, {}};
  for (Column& column : columns(filter)) {
    // No value is longer than a key can say; this one is nobody's.
    if (column.value.size() > UINT16_MAX)
      return fail(ErrorCode::kLimitExceeded, "a text of the filter is too long");
    auto row = store.get(Family::kDeadLetterIndex, keys::count(queue, column.kind, column.value));
    if (!row) return tl::unexpected(row.error());
    auto count = row->has_value() ? decode_index_count(**row) : Result<IndexCount>(IndexCount{});
    if (!count) return tl::unexpected(count.error());
    if (best.count && count->here >= *best.count) continue;
    best = std::move(column);
    best.count = count->here;
  }
  return best;
}

class Walker {
 public:
  Walker(const Store& store, QueueId queue, const DeadLetterFilter& filter, const WalkOptions& options,
         const VisitDeadLetter& visit)
      : store_(store), queue_(queue), filter_(filter), options_(options), visit_(visit) {}

  Result<std::optional<DeadLetterCursor>> run() {
    const bool by_name = !filter_.ids.empty() || !filter_.seqs.empty();
    const Result<Walk> walked = by_name ? walk_named() : walk_index();
    if (!walked) return tl::unexpected(walked.error());
    return *walked == Walk::kStop ? last_ : std::nullopt;
  }

 private:
  Result<Walk> walk_index() {
    auto column = most_selective(store_, queue_, filter_);
    if (!column) return tl::unexpected(column.error());
    for (const bool history : {false, true}) {
      if (history && !includes_history(filter_)) break;
      auto walked = walk_range(history ? history_column() : *column, history);
      if (!walked || *walked == Walk::kStop) return walked;
    }
    return Walk::kOn;
  }

  // History has fewer indexes.
  Column history_column() const {
    if (filter_.status) return {IndexKind::kStatus, index_value(*filter_.status)};
    return {IndexKind::kAll, {}};
  }

  Result<Walk> walk_range(const Column& column, bool history) {
    // Keys hold no time before the epoch.
    DeadLetterCursor first{history, std::max(filter_.died_from.value_or(Timestamp{}), Timestamp{}), Seq{0}};
    DeadLetterCursor end{history, std::max(filter_.died_before.value_or(Timestamp::max()), Timestamp{}),
                         Seq{0}};
    if (const auto& after = options_.after; after) {
      if (after->history != history) {
        if (after->history) return Walk::kOn;
      } else if (options_.newest_first) {
        end = std::min(end, *after);
      } else {
        first = std::max(first, {history, after->died_at, Seq{static_cast<std::uint64_t>(after->seq) + 1}});
      }
    }
    const auto order = options_.newest_first ? PostingOrder::kDown : PostingOrder::kUp;
    PostingScan scan(store_, queue_, column.kind, column.value, first, end, order);
    for (; scan.valid(); scan.next()) {
      auto walked = look_at(scan.place());
      if (!walked || *walked == Walk::kStop) return walked;
    }
    if (auto ok = scan.status(); !ok) return tl::unexpected(ok.error());
    return Walk::kOn;
  }

  // Of the few that the filter names one by one.
  Result<std::vector<Seq>> named_seqs() {
    std::vector<Seq> seqs = filter_.seqs;
    for (const MessageId& id : filter_.ids) {
      const auto scan = store_.scan(Family::kDeadLetterIndex, keys::id_row(queue_, id, Seq{0}),
                                    keys::id_row(queue_, id, Seq{UINT64_MAX}));
      for (; scan->valid(); scan->next()) seqs.push_back(*keys::parse_last_seq(scan->key()));
      if (auto ok = scan->status(); !ok) return tl::unexpected(ok.error());
    }
    return seqs;
  }

  Result<Walk> walk_named() {
    std::vector<DeadLetterCursor> places;
    auto seqs = named_seqs();
    if (!seqs) return tl::unexpected(seqs.error());
    for (const Seq seq : *seqs) {
      for (const bool history : {false, true}) {
        auto row = read_dead_letter(store_, queue_, {history, seq});
        if (!row) return tl::unexpected(row.error());
        if (*row) places.push_back({history, (*row)->record.died_at, seq});
      }
    }
    std::ranges::sort(places);
    const auto repeated = std::ranges::unique(places);
    places.erase(repeated.begin(), repeated.end());
    return walk_places(places);
  }

  Result<Walk> walk_places(std::vector<DeadLetterCursor>& places) {
    if (options_.newest_first) {
      std::ranges::reverse(places);
      std::ranges::stable_partition(places, [](const auto& place) { return !place.history; });
    }
    for (const DeadLetterCursor& place : places) {
      if (options_.after && !comes_after(place, *options_.after)) continue;
      auto walked = look_at(place);
      if (!walked || *walked == Walk::kStop) return walked;
    }
    return Walk::kOn;
  }

  bool comes_after(const DeadLetterCursor& place, const DeadLetterCursor& other) const {
    if (place.history != other.history) return place.history;
    return options_.newest_first ? place < other : other < place;
  }

  Result<Walk> look_at(const DeadLetterCursor& place) {
    if (examined_++ == options_.examine) return Walk::kStop;
    const RecordKey key{place.history, place.seq};
    auto row = read_dead_letter(store_, queue_, key);
    if (!row) return tl::unexpected(row.error());
    // None: it left since the walk began.
    if (*row && matches(filter_, key, **row) && visit_(place, **row) == Walk::kStop) return Walk::kStop;
    last_ = place;
    return Walk::kOn;
  }

  const Store& store_;
  const QueueId queue_;
  const DeadLetterFilter& filter_;
  const WalkOptions& options_;
  const VisitDeadLetter& visit_;
  std::size_t examined_ = 0;
  std::optional<DeadLetterCursor> last_ = options_.after;
};

}  // namespace

Result<std::optional<DeadLetterRow>> read_dead_letter(const Store& store, QueueId queue,
                                                      const RecordKey& key) {
  auto row = store.get(Family::kDeadLetters, keys::dead_letter(queue, key));
  if (!row) return tl::unexpected(row.error());
  if (!row->has_value()) return std::nullopt;
  auto decoded = decode_dead_letter_row(**row);
  if (!decoded) return tl::unexpected(decoded.error());
  return std::move(*decoded);
}

Result<std::optional<std::uint64_t>> most_matches(const Store& store, QueueId queue,
                                                  const DeadLetterFilter& filter) {
  const auto column = most_selective(store, queue, filter);
  if (!column) return tl::unexpected(column.error());
  return column->count;
}

Result<std::optional<DeadLetterCursor>> walk_dead_letters(const Store& store, QueueId queue,
                                                          const DeadLetterFilter& filter,
                                                          const WalkOptions& options,
                                                          const VisitDeadLetter& visit) {
  return Walker(store, queue, filter, options, visit).run();
}

}  // namespace holdfast
