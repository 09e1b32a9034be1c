// A SendLookup asks the store, without a lock, before the send decides under the queue's lock which of its
// messages are new (dedup_window.h).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engine/queue/queue.h"
#include "engine/storage/store.h"
#include "holdfast/message.h"

namespace holdfast {

class SendLookup {
 public:
  // Begins a lookup. It costs nothing for a queue without deduplication.
  explicit SendLookup(Queue& queue);
  Result<void> read(const Store& store, std::span<const Message> messages) HOLDFAST_EXCLUDES(inside_gate);

  // --- under the lock of the queue, which is the one of the constructor ---

  // Returns whether deduplication was changed since the lookup began. The caller then does the lookup again.
  bool outdated(const Queue& queue) const HOLDFAST_REQUIRES(queue.mutex) {
    return queue.deduplication_changes != changes_;
  }
  // Returns the key by which the queue recognises the i-th message, or nothing if it does not.
  std::optional<DedupKey> key(std::size_t i) const { return known_.empty() ? std::nullopt : known_[i].key; }
  // Returns the id of the message that the i-th one repeats, or nothing.
  std::optional<MessageId> original(const Queue& queue, std::size_t i, Timestamp now) const
      HOLDFAST_REQUIRES(queue.mutex);
  // Remembers that the i-th message went into the open group.
  void remember(Queue& queue, std::size_t i, const DedupRow& row, const CommitPipeline& pipeline) const
      HOLDFAST_REQUIRES(queue.mutex);

 private:
  struct Known {
    std::optional<DedupKey> key;
    std::optional<DedupRow> stored;
  };
  Result<std::optional<DedupRow>> stored(const Store& store, const DedupKey& key) const
      HOLDFAST_EXCLUDES(inside_gate);

  const QueueId queue_;
  const std::uint64_t changes_;  // read before deduplication_
  const Deduplication deduplication_;
  std::optional<DedupWindow::Lookup> lookup_;
  std::vector<Known> known_;  // of each message; empty without deduplication
};

}  // namespace holdfast
