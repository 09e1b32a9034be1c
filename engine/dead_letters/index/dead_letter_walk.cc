#include "engine/dead_letters/index/dead_letter_walk.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/helpers/text_match.h"
#include "engine/codec/encoding/keys.h"
#include "engine/dead_letters/index/dead_letter_columns.h"
#include "engine/dead_letters/index/dead_letter_messages.h"
#include "engine/dead_letters/index/dead_letter_reader.h"
#include "engine/dead_letters/index/posting_scan.h"
#include "engine/dead_letters/index/reason_groups.h"

namespace holdfast {
namespace {

// A walk that has read many records in vain looks the rest of the filter up in the index too. It does not do
// so at once, because a page is often full before all those postings could be read. About 32 postings cost as
// much as one record.
constexpr std::uint64_t kReadsInVain = 256;
constexpr std::uint64_t kPostingsOfARead = 32;

class Walker {
 public:
  Walker(const Store& store, QueueId queue, const DeadLetterFilter& filter, const WalkOptions& options,
         const VisitDeadLetter& visit)
      : store_(store),
        queue_(queue),
        filter_(filter),
        options_(options),
        visit_(visit),
        reader_(store, queue, options.newest_first),
        messages_(store, queue) {}

  Result<std::optional<DeadLetterCursor>> run() {
    const bool by_name = !filter_.ids.empty() || !filter_.seqs.empty();
    const Result<Walk> walked = by_name ? walk_named() : walk_index();
    if (options_.cost != nullptr) {
      options_.cost->records += examined_;
      options_.cost->bytes += messages_.bytes_read();
      options_.cost->scanned = options_.cost->scanned || (scans_ && examined_ > 0);
    }
    if (!walked) return tl::unexpected(walked.error());
    return *walked == Walk::kStop ? last_ : std::nullopt;
  }

 private:
  // Walks the postings of the column that the fewest dead letters have.
  Result<Walk> walk_index() {
    auto columns = columns_of(store_, queue_, filter_);
    if (!columns) return tl::unexpected(columns.error());
    scans_ = needs_scan(filter_, *columns);
    const bool none_here = !columns->empty() && columns->front().count == 0;
    Column rarest{.kind = IndexKind::kAll};
    if (!columns->empty()) {
      rarest = std::move(columns->front());
      columns->erase(columns->begin());
    }
    others_ = std::move(*columns);
    index_cost_ = others_.empty() ? UINT64_MAX : postings_of(others_) / kPostingsOfARead;
    auto walked = none_here ? Result<Walk>(Walk::kOn) : walk_range(rarest, false);
    if (!walked || *walked == Walk::kStop || !includes_history(filter_)) return walked;
    const auto column = history_column();
    if (!column) return tl::unexpected(column.error());
    return walk_range(*column, true);
  }

  // Returns the column for history, which has fewer indexes.
  Result<Column> history_column() const {
    auto columns = history_columns_of(store_, queue_, filter_);
    if (!columns) return tl::unexpected(columns.error());
    if (!columns->empty()) return std::move(columns->front());
    if (filter_.status) return Column{.kind = IndexKind::kStatus, .value = index_value(*filter_.status)};
    return Column{.kind = IndexKind::kAll};
  }

  Result<Walk> walk_range(const Column& column, bool history) {
    auto [first, end] = range_of(filter_, history);
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
      const DeadLetterCursor place = scan.place();
      if (!history && wanted_seqs_ && !wanted_seqs_->contains(place.seq)) {
        last_ = place;
        continue;
      }
      auto walked = look_at(place);
      if (!walked || *walked == Walk::kStop) return walked;
      if (history) continue;
      if (auto ok = narrow(); !ok) return tl::unexpected(ok.error());
      if (groups_ && groups_->empty()) return Walk::kOn;  // no group has such a reason
    }
    if (auto ok = scan.status(); !ok) return tl::unexpected(ok.error());
    return Walk::kOn;
  }

  // Finds out by the index alone which records of dead letters here may be meant, once that is worth its
  // cost.
  Result<void> narrow() {
    if (wanted_seqs_ || in_vain_ < kReadsInVain) return {};
    if (!filter_.reason.empty() && !asked_groups_) return ask_groups();
    if (in_vain_ < index_cost_) return {};
    auto wanted = [&]() -> Result<SeqSet> {
      const PlaceRange range = range_of(filter_, false);
      return groups_leave_fewer_ ? have_any(store_, queue_, *groups_, range)
                                 : have_all(store_, queue_, others_, range);
    }();
    if (!wanted) return tl::unexpected(wanted.error());
    wanted_seqs_ = *std::move(wanted);
    return {};
  }

  Result<void> ask_groups() {
    auto groups = groups_that_may_say(store_, queue_, filter_.reason);
    if (!groups) return tl::unexpected(groups.error());
    asked_groups_ = true;
    groups_ = *std::move(groups);
    if (!groups_) return {};
    const std::uint64_t cost = postings_of(*groups_) / kPostingsOfARead;
    groups_leave_fewer_ = others_.empty() || cost < index_cost_;
    if (groups_leave_fewer_) index_cost_ = cost;
    return {};
  }

  static std::uint64_t postings_of(const std::vector<Column>& columns) {
    std::uint64_t count = 0;
    for (const Column& column : columns) count += column.count;
    return count;
  }

  // Returns the few seqs that the filter names one by one.
  Result<std::vector<Seq>> named_seqs() {
    std::vector<Seq> seqs = filter_.seqs;
    for (const MessageId& id : filter_.ids) {
      const auto scan = store_.scan(Family::kDeadLetterIds, keys::id_row(queue_, id, Seq{0}),
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
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return walk_places(places);
  }

  Result<Walk> walk_places(std::vector<DeadLetterCursor>& places) {
    if (options_.newest_first) {
      std::ranges::reverse(places);
      std::stable_partition(places.begin(), places.end(), [](const auto& place) { return !place.history; });
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
    if (examined_++ == options_.examine || messages_.bytes_read() >= options_.bytes) return Walk::kStop;
    const RecordKey key{place.history, place.seq};
    auto row = reader_.read(key);
    if (!row) return tl::unexpected(row.error());
    // Without a row, the dead letter left since the walk began.
    Result<std::optional<DeadLetterRow>> wanted = std::nullopt;
    if (*row) wanted = wanted_row(key, **row);
    if (!wanted) return tl::unexpected(wanted.error());
    if (!*wanted) {
      ++in_vain_;
    } else if (visit_(place, **wanted) == Walk::kStop) {
      return Walk::kStop;
    }
    last_ = place;
    return Walk::kOn;
  }

  // Returns the row, or nothing if the filter does not mean it. In a search for a text, most rows are done
  // with after their reason, which is found without decoding the rest.
  Result<std::optional<DeadLetterRow>> wanted_row(const RecordKey& key, std::string_view encoded) {
    if (!filter_.reason.empty()) {
      const auto reason = reason_of_dead_letter_row(encoded);
      if (!reason) return tl::unexpected(reason.error());
      if (!contains(*reason, filter_.reason)) return std::nullopt;
    }
    auto row = decode_dead_letter_row(encoded);
    if (!row) return tl::unexpected(row.error());
    if (!matches(filter_, key, *row)) return std::nullopt;
    const auto meant = messages_.match(filter_, key, *row);
    if (!meant) return tl::unexpected(meant.error());
    if (!*meant) return std::nullopt;
    return std::move(*row);
  }

  const Store& store_;
  const QueueId queue_;
  const DeadLetterFilter& filter_;
  const WalkOptions& options_;
  const VisitDeadLetter& visit_;
  DeadLetterReader reader_;
  DeadLetterMessages messages_;
  std::vector<Column> others_;                 // columns other than the one whose postings are walked
  std::optional<std::vector<Column>> groups_;  // those that may have the reason, if that is known
  bool asked_groups_ = false;
  bool scans_ = false;                 // needs_scan() returned true
  bool groups_leave_fewer_ = false;    // groups_ leaves fewer records than others_
  std::optional<SeqSet> wanted_seqs_;  // by the index, of what is here
  std::size_t examined_ = 0;
  std::uint64_t in_vain_ = 0;     // records that were read and that the filter does not mean
  std::uint64_t index_cost_ = 0;  // of the postings that narrow() reads, in reads of records
  std::optional<DeadLetterCursor> last_ = options_.after;
};

}  // namespace

Result<std::optional<DeadLetterRow>> read_dead_letter(const Store& store, QueueId queue,
                                                      const RecordKey& key) {
  auto row = store.get(record_family(key.history), keys::dead_letter(queue, key));
  if (!row) return tl::unexpected(row.error());
  if (!row->has_value()) return std::nullopt;
  auto decoded = decode_dead_letter_row(**row);
  if (!decoded) return tl::unexpected(decoded.error());
  return std::move(*decoded);
}

Result<std::optional<std::uint64_t>> most_matches(const Store& store, QueueId queue,
                                                  const DeadLetterFilter& filter) {
  const auto columns = columns_of(store, queue, filter);
  if (!columns) return tl::unexpected(columns.error());
  return columns->empty() ? std::nullopt : std::optional(columns->front().count);
}

Result<std::optional<DeadLetterCursor>> walk_dead_letters(const Store& store, QueueId queue,
                                                          const DeadLetterFilter& filter,
                                                          const WalkOptions& options,
                                                          const VisitDeadLetter& visit) {
  return Walker(store, queue, filter, options, visit).run();
}

}  // namespace holdfast
