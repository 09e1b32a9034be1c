// IndexChanges has what a commit changes in the index over the dead letters of one queue.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/dead_letters/index/index_count_cache.h"
#include "engine/storage/store.h"

namespace holdfast {

class IndexChanges {
 public:
  explicit IndexChanges(QueueId queue) : queue_(queue) { recent_.fill(groups_.end()); }
  IndexChanges(const IndexChanges&) = delete;
  IndexChanges& operator=(const IndexChanges&) = delete;

  void add(const RecordKey& key, const DeadLetterRow& row) { change(key, row, 1); }
  void remove(const RecordKey& key, const DeadLetterRow& row) { change(key, row, -1); }
  // Says that the record of a message that left becomes history. It keeps its id rows.
  void replay(Seq seq, const IndexedFields& live, const IndexedFields& history);

  // Adds the changed postings and counts to `rows`. `store` has all earlier groups. `cleared` says that none
  // of its rows count any more. `known` has counts of this queue. kCorruption, or the error of reading
  // `store`.
  Result<void> write(const Store& store, bool cleared, IndexCountCache& known, Batch& rows);

 private:
  struct IndexStep {
    Seq seq{};
    int by = 0;
  };
  struct IdStep {
    Seq seq{};
    MessageId id;
    int by = 0;
  };
  struct CountChange {
    std::int64_t here = 0;
    std::int64_t history = 0;
  };
  using Counts = std::map<std::string, CountChange>;  // sorted by the key of the count
  // A GroupKey is a PostingGroup that owns its value.
  struct GroupKey {
    explicit GroupKey(const PostingGroup& group);
    PostingGroup view() const { return {kind, history, at, value}; }

    IndexKind kind;
    bool history;
    Timestamp at;
    std::string value;
  };
  // Sorts groups in the order of their keys.
  struct KeyOrder {
    using is_transparent = void;
    bool operator()(const GroupKey& a, const GroupKey& b) const { return less(a.view(), b.view()); }
    bool operator()(const PostingGroup& a, const GroupKey& b) const { return less(a, b.view()); }
    bool operator()(const GroupKey& a, const PostingGroup& b) const { return less(a.view(), b); }
    static bool less(const PostingGroup& a, const PostingGroup& b);
  };
  using Groups = std::map<GroupKey, std::vector<IndexStep>, KeyOrder>;
  // A Net has what one group of postings gets and loses, in ascending order.
  struct Net {
    std::vector<Seq> added;
    std::vector<Seq> removed;
  };

  void change(const RecordKey& key, const DeadLetterRow& row, int by);
  void change_postings(const RecordKey& key, const IndexedFields& fields, int by);
  std::vector<IndexStep>& steps_of(const PostingGroup& group);
  static Net net_of(std::vector<IndexStep> steps);
  static Result<void> take_out(const Store& store, std::string_view group, const std::vector<Seq>& removed,
                               Batch& rows);
  static Result<void> take_out_of_many(const Store& store, std::string_view group,
                                       std::span<const Seq> removed, Batch& rows);
  static void put_postings(std::string_view group, std::span<const Seq> added, Batch& rows);
  void write_ids(Batch& rows);
  static Result<void> write_counts(const Store& store, bool cleared, const Counts& counts,
                                   IndexCountCache& known, Batch& rows);

  const QueueId queue_;
  Groups groups_;
  // `recent_` has the last group of each kind, both of what is here and of history. Records that change
  // together often share these groups.
  std::array<Groups::iterator, 2 * (static_cast<std::size_t>(kLastIndexKind) + 1)> recent_;
  std::vector<IdStep> ids_;
};

}  // namespace holdfast
