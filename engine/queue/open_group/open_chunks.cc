#include "engine/queue/open_group/open_chunks.h"

#include <algorithm>
#include <utility>

#include "engine/base/helpers/check.h"
#include "engine/codec/encoding/keys.h"
#include "engine/core/seq_math.h"

namespace holdfast {

OpenChunks::OpenChunks(QueueId queue, QueueState& state, ChunkCache& cache)
    : queue_(queue), state_(state), cache_(cache) {
  note_ends();
}

ChunkBuilder& OpenChunks::builder_for(const ChunkPlacement& place) {
  const auto last = std::ranges::find(builders_.rbegin(), builders_.rend(), place.lane,
                                      [](const ChunkBuilder& builder) { return lane_of(builder.first()); });
  const bool new_chunk =
      last == builders_.rend() || last->kind() != place.kind || !last->has_room_for(place.bytes);
  const GroupKey key = state_.grouping() == Grouping::kNone ? GroupKey{} : group_key(place.group);
  const Seq seq =
      state_.all()[place.lane].append(new_chunk, place.kind == ChunkKind::kDeadLetters, place.sent_at, key,
                                      place.kind == ChunkKind::kReplayed, place.bytes);
  HOLDFAST_CHECK(new_chunk || last->first() + last->count() == seq,
                 "a message has the place in its chunk that its seq says");
  if (!new_chunk) return *last;
  ChunkBuilder& builder = builders_.emplace_back(seq, place.kind);
  builder.reserve(usual_count_, usual_bytes_ + usual_bytes_ / 8);
  return builder;
}

std::optional<MessageId> OpenChunks::id_of(const MessageRef& place) const {
  const auto builder = std::ranges::find(builders_, place.chunk, &ChunkBuilder::first);
  return builder == builders_.end() ? std::nullopt : std::optional(builder->id(place.index));
}

void OpenChunks::forget(Seq first) {
  std::erase_if(builders_, [&](const ChunkBuilder& builder) { return builder.first() == first; });
}

std::size_t OpenChunks::compact(Seq first, const Chunk& stored) {
  const ChunkState* chunk = state_.of(first).window().stored_chunk(first);
  const bool waiting = std::ranges::find(compacted_, first, &CompactedChunk::first) != compacted_.end();
  if (chunk == nullptr || waiting || chunk->count() != stored.count()) return 0;
  ChunkBuilder builder(first, stored.kind());
  for (std::uint32_t i = 0; i < stored.count(); ++i) {
    if (chunk->entry(i).state == EntryState::kDone || !stored.holds(i)) {
      builder.add_nothing();
    } else {
      const MessageView message = stored.message(i);
      builder.add_copy(message, message.lineage);
    }
  }
  state_.of(first).compact_chunk(first);
  auto compacted = std::move(builder).finish();
  HOLDFAST_CHECK(compacted->count() == stored.count(), "a message stays at its place in a compacted chunk");
  if (compacted->bytes().size() >= stored.bytes().size()) return 0;
  const std::size_t saved = stored.bytes().size() - compacted->bytes().size();
  compacted_.push_back({first, std::move(compacted)});
  return saved;
}

void OpenChunks::clear() {
  builders_.clear();
  compacted_.clear();
}

void OpenChunks::contribute(GroupWrites& writes, ExpiryIndex& expiries) {
  put_compacted(writes);
  for (ChunkBuilder& builder : builders_) {
    const Seq first = builder.first();
    auto chunk = std::move(builder).finish();
    usual_count_ = chunk->count();
    usual_bytes_ = chunk->bytes().size();
    cache_.put(queue_, first, chunk);
    if (chunk->first_expiry() != kNever) expiries.put({chunk->first_expiry(), first});
    writes.chunks.push_back({Family::kMessages, keys::queue_seq(queue_, first), std::move(chunk)});
  }
  builders_.clear();
}

// A chunk that was finished meanwhile is removed as the store has it, and is not put again.
void OpenChunks::put_compacted(GroupWrites& writes) {
  for (auto& [first, chunk] : compacted_) {
    if (state_.of(first).window().stored_chunk(first) == nullptr) continue;
    std::string key = keys::queue_seq(queue_, first);
    writes.rows.remove_once(Family::kMessages, key);
    cache_.take(queue_, first);
    writes.chunks.push_back({Family::kMessages, std::move(key), std::move(chunk)});
  }
  compacted_.clear();
}

void OpenChunks::note_closed(GroupNumber group) {
  note_ends();
  closed_group_ = group;
}

void OpenChunks::note_ends() {
  const std::size_t known = ends_.size();
  ends_.resize(state_.all().size());
  for (std::size_t lane = 0; lane < ends_.size(); ++lane) {
    const Seq end = state_.all()[lane].log().next_seq();
    ends_[lane] = {end, lane < known ? ends_[lane].closed : lane_begin(lane)};
  }
}

Seq OpenChunks::committed_end(const CommitPipeline& pipeline, Seq from) const {
  // The store has nothing of a lane over which no group has closed yet.
  const std::size_t lane = lane_of(from);
  if (lane >= ends_.size()) return lane_begin(lane);
  return pipeline.committed(closed_group_) ? ends_[lane].closed : ends_[lane].previous;
}

GroupNumber OpenChunks::last_group(const CommitPipeline& pipeline) const {
  return builders_.empty() ? closed_group_ : pipeline.open_group();
}

GroupNumber OpenChunks::last_removal_past_cursor(const CommitPipeline& pipeline) const {
  const bool open_group_removes = std::ranges::any_of(
      state_.all(), [](const LaneState& lane) { return lane.states().changes().removes_past_cursor(); });
  return open_group_removes ? pipeline.open_group() : removal_past_cursor_group_;
}

}  // namespace holdfast
