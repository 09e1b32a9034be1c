// What happened to a queue's messages lately: rows of `journal`. They lie in buckets, of which the oldest
// goes as a whole, by one range, when there are too many rows or they are too old. A queue without a journal
// has none of this: on() is false, and nobody calls note().
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "engine/codec/rows/catalog_rows.h"
#include "engine/core/chunk_span.h"
#include "engine/storage/store.h"
#include "holdfast/journal.h"
#include "holdfast/queue.h"

namespace holdfast {

class Journal {
 public:
  // Recovery: what the checkpoint has.
  void restore(std::vector<JournalBucket> buckets) { buckets_ = std::move(buckets); }

  bool on() const { return options_.max_entries > 0; }
  // What is too much by now goes with the open group; without a journal, all.
  void configure(const JournalOptions& options);

  // A message by its id, or by its place: its id is then looked up when the group closes.
  using Subject = std::variant<MessageId, MessageRef>;
  // A step joins the open group, as number `order` of all steps of all queues. `now`, as in all of this, is
  // stored time.
  void note(const Subject& message, HistoryStep step, std::uint64_t order, Timestamp now);
  // What is too old goes with the open group. False if nothing is.
  bool expire(Timestamp now);
  Timestamp next_due() const;

  bool has_changes() const { return !changes_.empty(); }
  // The id of a message that is stored, or about to be. Nothing if it is gone, or cannot be read: its receive
  // says so, and a journal must not stop the engine over it. Then its step is left out.
  using FindId = std::function<std::optional<MessageId>(const MessageRef& place)>;
  void contribute(QueueId queue, Batch& rows, const FindId& find_id);

  // What the checkpoint keeps, oldest first.
  const std::vector<JournalBucket>& buckets() const { return buckets_; }

 private:
  struct Put {
    std::uint64_t bucket = 0;
    std::uint64_t order = 0;
    Subject message;
    HistoryStep step;
  };
  struct Drop {
    std::uint64_t bucket = 0;
  };

  std::uint64_t bucket_for(Timestamp at);
  // A step that was counted in that bucket is not written after all.
  void uncount(std::uint64_t number);
  void drop_oldest();
  std::uint64_t entries() const;

  JournalOptions options_;
  std::vector<JournalBucket> buckets_;
  std::vector<std::variant<Put, Drop>> changes_;  // of the open group, in their order
};

}  // namespace holdfast
