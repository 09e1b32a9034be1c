#include "engine/queue/send_memory.h"

#include "engine/codec/encoding/keys.h"

namespace holdfast {

void SendMemory::configure(Deduplication deduplication, Duration length) {
  window_.set_length(length);
  if (deduplication == Deduplication::kNone) {
    puts_.clear();
    if (window_.clear()) forgotten_ = Timestamp::max();
  }
  due_ = window_.next_due();
}

std::optional<MessageId> SendMemory::sent_before(const DedupKey& key, const std::optional<DedupRow>& stored,
                                                 Timestamp now) const {
  const auto row = window_.find(key, stored, clock_.stored(now));
  return row ? std::optional(row->message_id) : std::nullopt;
}

void SendMemory::remember(const DedupKey& key, DedupRow row, GroupNumber open_group) {
  row.sent_at = clock_.stored(row.sent_at);
  const Timestamp bucket = window_.add(key, row, open_group);
  puts_.push_back({keys::dedup(queue_, bucket, key.view()), encode_dedup_row(row)});
  due_ = window_.next_due();
}

bool SendMemory::forget(Timestamp now) {
  const Timestamp time = clock_.stored(now);
  if (time < due_) return false;
  const auto end = window_.expire(time);
  due_ = window_.next_due();
  if (end) forgotten_ = end;
  return end.has_value();
}

void SendMemory::contribute(Batch& rows) {
  if (forgotten_) {
    rows.remove_range(Family::kDedup, keys::queue_seq(queue_, Seq{0}), keys::dedup(queue_, *forgotten_, {}));
    forgotten_.reset();
  }
  for (const auto& [key, row] : puts_) rows.put(Family::kDedup, key, row);
  puts_.clear();
}

}  // namespace holdfast
