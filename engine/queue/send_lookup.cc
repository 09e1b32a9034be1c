#include "engine/queue/send_lookup.h"

namespace holdfast {

SendLookup::SendLookup(Queue& queue)
    : queue_(queue.id), changes_(queue.deduplication_changes), deduplication_(queue.deduplication) {
  if (deduplication_ != Deduplication::kNone) lookup_.emplace(queue.dedup);
}

Result<void> SendLookup::read(const Store& store, std::span<const Message> messages) {
  if (!lookup_) return {};
  known_.resize(messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    known_[i].key = dedup_key(messages[i], deduplication_);
    if (!known_[i].key) continue;
    auto found = stored(store, *known_[i].key);
    if (!found) return tl::unexpected(found.error());
    known_[i].stored = *found;
  }
  return {};
}

Result<std::optional<DedupRow>> SendLookup::stored(const Store& store, const DedupKey& key) const {
  for (const Timestamp bucket : lookup_->buckets()) {
    auto row = store.get(Family::kDedup, keys::dedup(queue_, bucket, key.view()));
    if (!row) return tl::unexpected(row.error());
    if (!row->has_value()) continue;
    auto decoded = decode_dedup_row(**row);
    if (!decoded) return tl::unexpected(decoded.error());
    return std::optional(*decoded);
  }
  return std::optional<DedupRow>();
}

std::optional<MessageId> SendLookup::original(const Queue& queue, std::size_t i, Timestamp now) const {
  if (known_.empty() || !known_[i].key) return std::nullopt;
  return queue.send_memory.sent_before(*known_[i].key, known_[i].stored, now);
}

void SendLookup::remember(Queue& queue, std::size_t i, const DedupRow& row,
                          const CommitPipeline& pipeline) const {
  if (known_.empty() || !known_[i].key) return;
  queue.send_memory.remember(*known_[i].key, row, pipeline.open_group());
}

}  // namespace holdfast
