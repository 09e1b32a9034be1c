// Checks that the index over dead letters holds the postings and counts that follow from their records, and
// no others, and that a record's original is there.
#include <algorithm>
#include <map>
#include <vector>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/verify/checks.h"
#include "engine/verify/rows.h"

namespace holdfast::verify {
namespace {

// Returns whether there is a count for each value. Kind kAll has counts by minute.
bool is_counted(IndexKind kind) {
  return kind != IndexKind::kId && kind != IndexKind::kRetention && kind != IndexKind::kAll;
}

class IndexCheck {
 public:
  IndexCheck(const Facts& facts, const QueueFacts& queue, Findings& findings)
      : reader_(facts.reader),
        queue_(queue.id),
        where_(place("dead_letter_index", queue.name, queue.id)),
        records_(place("dead_letters", queue.name, queue.id)),
        findings_(findings) {}

  void run() {
    rows(Family::kDeadLetters, keys::queue_begin(queue_), keys::queue_end(queue_),
         [&](std::string_view key, std::string_view value) { record(false, key, value); });
    rows(Family::kHistory, keys::queue_begin(queue_), keys::history_end(queue_),
         [&](std::string_view key, std::string_view value) { record(true, key, value); });
    const std::string counts = keys::counts_begin(queue_, IndexKind{0});
    const auto read_posting = [&](std::string_view key, std::string_view row) { posting(key, row); };
    rows(Family::kDeadLetterIndex, keys::queue_begin(queue_), counts, read_posting);
    rows(Family::kDeadLetterIds, keys::queue_begin(queue_), keys::queue_end(queue_), read_posting);
    end_minute();
    end_value();
    for (const auto& [key, count] : without_postings_) check_count(key, count);
    rows(Family::kDeadLetterIndex, counts, keys::queue_end(queue_),
         [&](std::string_view, std::string_view) { ++count_rows_; });
    if (postings_ != expected_) {
      findings_.add(
          "index_stray", where_,
          std::to_string(postings_) + " postings, of which the records ask for " + std::to_string(expected_));
    }
    if (count_rows_ != counted_values_) {
      findings_.add("index_count_wrong", where_,
                    std::to_string(count_rows_) + " counts, for " + std::to_string(counted_values_) +
                        " values that have postings");
    }
  }

 private:
  template <class Visit>
  void rows(Family family, std::string_view begin, std::string_view end, Visit&& visit) {
    for_each_row(reader_, family, begin, end, findings_, std::forward<Visit>(visit));
  }

  void record(bool history, std::string_view key, std::string_view value) {
    const auto at = keys::parse_dead_letter(key);
    if (!at || at->history != history) {
      // The check of the dead letters reports keys of records of messages that are in the queue.
      if (history) findings_.add("undecodable", records_, "a key of history");
      return;
    }
    const auto row = decode_dead_letter_row(value);
    if (!row) {
      // The check of the dead letters reports undecodable records of messages that are in the queue.
      if (history) findings_.add("undecodable", records_ + named(*at), row.error().message);
      return;
    }
    if (row->has_original) look_for_original(*at);
    for (const IndexEntry& entry : index_entries(queue_, *at, *row)) {
      if (entry.posting.empty()) {
        IndexCount& count = without_postings_[entry.count];
        ++(at->history ? count.history : count.here);
        continue;
      }
      const auto& seqs = seqs_of(keys::posting_group(entry.posting));
      if (std::ranges::binary_search(seqs, *keys::parse_last_seq(entry.posting))) {
        ++expected_;
      } else {
        findings_.add("index_missing", where_, "no posting for the record" + named(*at));
      }
    }
  }

  void look_for_original(const RecordKey& at) {
    const auto row = reader_.get(Family::kHistory, keys::original(queue_, at.seq));
    if (!row) return findings_.add("unreadable", records_ + named(at), row.error().message);
    if (row->has_value()) return;
    findings_.add("original_missing", records_ + named(at),
                  "the message as it was before a redrive edited it is not there");
  }

  // Returns all seqs that a group of postings names, ascending. Records that follow one another are often in
  // the same group.
  const std::vector<Seq>& seqs_of(std::string_view group) {
    Group& known = groups_[keys::index_kind(group)];
    if (known.key == group) return known.seqs;
    known = {std::string(group), {}};
    const Family family = keys::is_id_row(group) ? Family::kDeadLetterIds : Family::kDeadLetterIndex;
    rows(family, keys::posting_in(group, Seq{0}), keys::posting_in(group, Seq{UINT64_MAX}),
         [&](std::string_view key, std::string_view row) {
           const auto seqs = decode_posting(key, row);
           if (seqs) known.seqs.insert(known.seqs.end(), seqs->begin(), seqs->end());
         });
    std::ranges::sort(known.seqs);
    return known.seqs;
  }

  static std::string named(const RecordKey& key) {
    return (key.history ? ", history of seq " : ", seq ") + to_string(key.seq);
  }

  // Reads a posting. Postings of one value follow one another.
  void posting(std::string_view key, std::string_view row) {
    const auto seqs = decode_posting(key, row);
    const bool is_id = seqs && keys::is_id_row(key);
    const auto at = is_id ? std::nullopt : keys::parse_posting(key);
    if (!seqs || (!is_id && !at)) {
      ++postings_;
      return findings_.add("undecodable", where_, "a posting");
    }
    postings_ += seqs->size();
    const std::string_view value = is_id ? keys::posting_group(key) : keys::postings_of_value(key);
    if (value != value_) {
      end_value();
      value_ = value;
    }
    const DeadLetterCursor place = at.value_or(DeadLetterCursor{});  // an id row has none
    (place.history ? count_.history : count_.here) += seqs->size();
    if (keys::index_kind(key) == IndexKind::kAll && !place.history) count_minute(place.died_at, seqs->size());
  }

  // Counts deaths. Postings of kind kAll follow one another in the order of their times.
  void count_minute(Timestamp died_at, std::uint64_t deaths) {
    std::string key = keys::count(queue_, IndexKind::kAll, minute_value(died_at));
    if (key != minute_) end_minute();
    minute_ = std::move(key);
    in_minute_ += deaths;
  }

  void end_minute() {
    const std::uint64_t counted = std::exchange(in_minute_, 0);
    if (counted > 0) check_count(minute_, {.here = counted});
  }

  void end_value() {
    const IndexCount counted = std::exchange(count_, {});
    if (value_.empty() || !is_counted(keys::index_kind(value_))) return;
    check_count(keys::count_of_value(value_), counted);
  }

  void check_count(const std::string& key, const IndexCount& counted) {
    ++counted_values_;
    const auto row = reader_.get(Family::kDeadLetterIndex, key);
    if (!row) return findings_.add("unreadable", where_, row.error().message);
    const auto said = row->has_value() ? decode_index_count(**row) : Result<IndexCount>(IndexCount{});
    if (!said) return findings_.add("undecodable", where_, said.error().message);
    if (said->here == counted.here && said->history == counted.history) return;
    findings_.add("index_count_wrong", where_,
                  "a count says " + std::to_string(said->here) + " here and " +
                      std::to_string(said->history) + " in history, there are " +
                      std::to_string(counted.here) + " and " + std::to_string(counted.history));
  }

  const Reader& reader_;
  const QueueId queue_;
  const std::string where_;
  const std::string records_;
  Findings& findings_;
  struct Group {
    std::string key;
    std::vector<Seq> seqs;
  };
  std::map<IndexKind, Group> groups_;  // the last group of each kind
  std::uint64_t expected_ = 0;         // postings that a record asks for, and that are there
  std::uint64_t postings_ = 0;         // each for each record that it names
  std::uint64_t count_rows_ = 0;
  std::uint64_t counted_values_ = 0;
  // `without_postings_` has the kinds that have only counts, by the keys of the counts.
  std::map<std::string, IndexCount> without_postings_;
  std::string value_;  // of the last posting: its key up to the place
  IndexCount count_;
  std::string minute_;  // the key of the count of the last minute
  std::uint64_t in_minute_ = 0;
};

}  // namespace

void check_dead_letter_index(const Facts& facts, Findings& findings) {
  for (const auto& [id, queue] : facts.queues) IndexCheck(facts, queue, findings).run();
}

}  // namespace holdfast::verify
