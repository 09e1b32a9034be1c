// Walks the places in the postings of one value.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/storage/store.h"

namespace holdfast {

enum class PostingOrder : std::uint8_t { kUp, kDown };

// Walks, in order, the places from `from` to before `end`. Both of these must be of history, or
// neither. The scan holds the seqs of one time in memory, which are those of the records that died in one
// microsecond.
class PostingScan {
 public:
  PostingScan(const Store& store, QueueId queue, IndexKind kind, std::string_view value,
              const DeadLetterCursor& from, const DeadLetterCursor& end,
              PostingOrder order = PostingOrder::kUp);

  // Returns false at the end and after an error, which status() tells.
  bool valid() const { return at_ < seqs_.size(); }
  void next();
  DeadLetterCursor place() const { return {from_.history, time_, seqs_[at_]}; }
  // Returns kCorruption or kStorageFailed if the walk ended early.
  Result<void> status() const;

 private:
  void read_time();
  bool read_row();

  const DeadLetterCursor from_;
  const DeadLetterCursor end_;
  const PostingOrder order_;
  std::unique_ptr<Scan> scan_;  // null if nothing lies between the two
  Timestamp time_{};
  std::vector<Seq> seqs_;  // seqs of time_, in order
  std::size_t at_ = 0;
  Result<void> decoded_;
};

// Returns whether there is any posting of a kind, whatever its value, or the error of reading.
Result<bool> any_posting(const Store& store, QueueId queue, IndexKind kind);

// Calls visit(group, seqs) for each row of the postings of a kind, in the order of value, history and time.
// kCorruption, or the error of reading.
using VisitPostingRow = std::function<void(const PostingGroup& group, const std::vector<Seq>& seqs)>;
Result<void> for_each_posting_row(const Store& store, QueueId queue, IndexKind kind,
                                  const VisitPostingRow& visit);

}  // namespace holdfast
