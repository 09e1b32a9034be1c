// A journal says what happened to a queue's messages lately, in rows of `journal`. The rows lie in buckets.
// When there are too many rows, or they are too old, the oldest bucket is removed as a whole, by one range. A
// queue without a journal has no rows: on() is false, and nobody calls note(). All times are stored time.
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
  // Takes the buckets of the checkpoint, for recovery.
  void restore(std::vector<JournalBucket> buckets) { buckets_ = std::move(buckets); }

  bool on() const { return options_.max_entries > 0; }
  // Takes new options. Rows that are too many by now are removed with the open group; without a journal, all
  // are.
  void configure(const JournalOptions& options);

  // A Subject is a message, named by its id or place. The id of a place is looked up when the group closes.
  using Subject = std::variant<MessageId, MessageRef>;
  // Adds a step to the open group. `order` is its number among all steps of all queues.
  void note(const Subject& message, HistoryStep step, std::uint64_t order, Timestamp now);
  // Removes the buckets that are too old, with the open group. Returns false if there are none.
  bool expire(Timestamp now);
  Timestamp next_due() const;

  bool has_changes() const { return !changes_.empty(); }
  // Returns the id of a message that is stored, or is about to be. It returns nothing if the message is gone
  // or cannot be read, and the step is then left out: a receive reports such a message, and a journal must
  // not stop the engine over it.
  using FindId = std::function<std::optional<MessageId>(const MessageRef& place)>;
  void contribute(QueueId queue, Batch& rows, const FindId& find_id);

  // Returns the buckets for the checkpoint, the oldest first.
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
  // Takes a step out of the count of a bucket, because it is not written after all.
  void uncount(std::uint64_t number);
  void drop_oldest();
  std::uint64_t entries() const;

  JournalOptions options_;
  std::vector<JournalBucket> buckets_;
  std::vector<std::variant<Put, Drop>> changes_;  // of the open group, in order
};

}  // namespace holdfast
