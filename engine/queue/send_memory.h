// What a queue remembers of sends, and what of that goes with the open group. A queue has one, under its
// mutex. See dedup_window.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/queue/dedup_window.h"
#include "engine/services/engine_clock.h"
#include "engine/storage/store.h"
#include "holdfast/queue.h"

namespace holdfast {

class SendMemory {
 public:
  SendMemory(QueueId queue, DedupWindow& window, EngineClock& clock)
      : queue_(queue), window_(window), clock_(clock) {}

  void configure(Deduplication deduplication, Duration length);
  // The message that was sent lately with this key, and is not sent again.
  std::optional<MessageId> sent_before(const DedupKey& key, const std::optional<DedupRow>& stored,
                                       Timestamp now) const;
  // Remembers a message of the open group.
  void remember(const DedupKey& key, DedupRow row, GroupNumber open_group);
  // Forgets what is over, with the open group. False if nothing is.
  bool forget(Timestamp now);
  // When that is next, in stored time.
  Timestamp next_due() const { return due_; }
  void contribute(Batch& rows);

 private:
  struct Put {
    std::string key;
    std::string row;
  };

  const QueueId queue_;
  DedupWindow& window_;
  EngineClock& clock_;
  std::vector<Put> puts_;
  std::optional<Timestamp> forgotten_;  // rows of buckets before this are to be removed
  Timestamp due_ = Timestamp::max();
};

}  // namespace holdfast
