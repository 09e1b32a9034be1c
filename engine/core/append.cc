#include "core/queue_state.h"
#include "core/seq_math.h"

namespace holdfast {

Seq QueueState::append(bool new_chunk, bool dead_letter, Timestamp sent_at, GroupKey group, bool replayed,
                       std::uint32_t bytes) {
  const Seq seq = next_seq_;
  next_seq_ = seq + 1;
  ++fresh_;
  if (dead_letter) ++dead_;
  bytes_ += bytes;
  ready_bytes_ += bytes;

  if (new_chunk) {
    open_.push_back({seq, 0, dead_letter, sent_at, {}, replayed});
    // Remembered only if everything before it is; otherwise the store is asked when the cursor gets here.
    if (ahead_end_ == seq && ahead_.size() < kAheadChunks) ahead_.push_back(open_.back());
  }
  ChunkSpan& open = open_.back();
  const Seq first = open.first;
  // Unless its first messages came before grouping was turned on: then it is read again.
  const bool with_group = groups_ && open.groups.size() == open.count;
  if (with_group) open.groups.push_back(group);
  open.sizes.push_back(bytes);
  ++open.count;

  if (const auto chunk = window_.find(first); chunk != window_.end()) {
    chunk->second.entries.emplace_back().bytes = bytes;
    if (with_group && !unread_.contains(first)) chunk->second.groups.push_back(group);
    touch(chunk);
    if (ahead_end_ == seq) ahead_end_ = next_seq_;
  } else if (!ahead_.empty() && ahead_.back().first == first) {
    ++ahead_.back().count;
    if (with_group) ahead_.back().groups.push_back(group);
    ahead_end_ = next_seq_;
  }
  return seq;
}

}  // namespace holdfast
