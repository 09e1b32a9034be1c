// What a send asks the store, without a lock, before it decides under the queue's lock which of its messages
// are new. See dedup_window.h.
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
  // Costs nothing for a queue without deduplication.
  explicit SendLookup(Queue& queue);
  Result<void> read(const Store& store, std::span<const Message> messages);

  // --- under the queue's lock ---

  // Deduplication was altered meanwhile: to be done again.
  bool outdated() const { return queue_.deduplication_changes != changes_; }
  // By what the queue knows the i-th message again; nothing if it does not.
  std::optional<DedupKey> key(std::size_t i) const { return known_.empty() ? std::nullopt : known_[i].key; }
  // The message that the i-th one repeats.
  std::optional<MessageId> original(std::size_t i, Timestamp now) const;
  // The i-th message went into the open group.
  void remember(std::size_t i, const DedupRow& row, const CommitPipeline& pipeline);

 private:
  struct Known {
    std::optional<DedupKey> key;
    std::optional<DedupRow> stored;
  };
  Result<std::optional<DedupRow>> stored(const Store& store, const DedupKey& key) const;

  Queue& queue_;
  const std::uint64_t changes_;  // before deduplication_ is read
  const Deduplication deduplication_;
  std::optional<DedupWindow::Lookup> lookup_;
  std::vector<Known> known_;  // of each message; empty without deduplication
};

}  // namespace holdfast
