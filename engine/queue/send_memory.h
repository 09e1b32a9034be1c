// SendMemory is what a queue remembers of sends (dedup_window.h), with what of that goes with the open group.
// A queue has one, under its mutex.
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
  // Returns the id of the message that was sent lately with this key, or nothing. `stored` is what a lookup
  // found.
  std::optional<MessageId> sent_before(const DedupKey& key, const std::optional<DedupRow>& stored,
                                       Timestamp now) const;
  // Remembers a message of the open group.
  void remember(const DedupKey& key, DedupRow row, GroupNumber open_group);
  // Forgets, with the open group, what is remembered no longer. Returns false if there is nothing to forget.
  bool forget(Timestamp now);
  // Returns when forget() has something to do next, in stored time.
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
  std::optional<Timestamp> forgotten_;  // rows of buckets before this time are to be removed
  Timestamp due_ = Timestamp::max();
};

}  // namespace holdfast
