// Chunks from their first message to their last: appending to the open one, what a commit group changed and
// finished, chunks past the cursor, which are kept packed, and those that stay for a few stragglers, which
// are compacted.
#include "engine/core/queue_state.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/helpers/check.h"
#include "engine/core/seq_math.h"

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
  HOLDFAST_CHECK(!open_.empty() && open_.back().dead_letters == dead_letter,
                 "a message is appended to an open chunk of its kind");
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

QueueState::Changes QueueState::close_group() {
  for (ChunkSpan& span : std::exchange(open_, {})) {
    const auto chunk = window_.find(span.first);
    if (chunk == window_.end()) {
      const auto ahead = std::ranges::lower_bound(ahead_, span.first, {}, &ChunkSpan::first);
      if (ahead != ahead_.end() && ahead->first == span.first) ahead->sizes = std::move(span.sizes);
      continue;
    }
    chunk->second.open = false;
    if (!chunk->second.finished()) continue;
    drop_if_finished(chunk);
    changes_.finished.back().stored = false;
  }
  std::erase_if(changes_.dirty, [&](Seq first) {
    const auto chunk = window_.find(first);
    if (chunk == window_.end()) return true;
    note_sparse(first, chunk->second);
    return false;
  });
  HOLDFAST_COSTLY_CHECK(is_consistent(), "the counts of a queue are what the entries of its window say");
  return std::exchange(changes_, {});
}

const ChunkState& QueueState::chunk_for_row(Seq first) {
  using RowPuts = ChunkState::RowPuts;
  const auto found = window_.find(first);
  HOLDFAST_CHECK(found != window_.end() && found->second.dirty,
                 "a row is written of a chunk that close_group() gave as dirty");
  ChunkState& chunk = found->second;
  chunk.dirty = false;
  chunk.row_puts = chunk.row_puts == RowPuts::kNone ? RowPuts::kOne : RowPuts::kMany;
  return chunk;
}

void QueueState::pack(Seq first) {
  const auto chunk = window_.find(first);
  HOLDFAST_CHECK(chunk != window_.end(), "only a chunk of the window is packed");
  if (first >= cursor_ && !chunk->second.open) chunk->second.pack();
}

void QueueState::drop_if_finished(Window::iterator chunk) {
  const auto& [first, state] = *chunk;
  // An open chunk may still grow; close_group looks at it again.
  if (!state.finished() || state.open) return;
  const auto count = static_cast<std::uint32_t>(state.count());
  // Or its last messages, which a redrive took before the cursor came to them, would look untouched.
  if (first <= cursor_ && cursor_ < first + count) cursor_ = first + count;
  note_finished({{first, count, state.dead_letters}, state.row_puts, true});
  reschedule(chunk, Timestamp::max());
  unread_.erase(first);
  if (!sparse_.empty()) sparse_.erase(first);
  window_.erase(chunk);
}

void QueueState::note_finished(FinishedChunk finished) {
  if (finished.span.first >= cursor_) {
    changes_.past_cursor = true;
    if (finished_) finished_->emplace(finished.span.first, finished.span.count);
  }
  changes_.finished.push_back(std::move(finished));
}

void QueueState::remember_finished(bool on) {
  if (on) {
    finished_.emplace();
  } else {
    finished_.reset();
  }
}

bool QueueState::is_untouched(Seq seq) const {
  if (seq < cursor_) return false;
  if (!finished_) return true;
  auto chunk = finished_->upper_bound(seq);
  if (chunk == finished_->begin()) return true;
  --chunk;
  return seq - chunk->first >= chunk->second;
}

// Once for each chunk that a group changed and left, so that one which is settled in a sweep costs nothing.
void QueueState::note_sparse(Seq first, const ChunkState& chunk) {
  const std::size_t stored = chunk.count() - chunk.compacted;
  const std::size_t garbage = chunk.done - chunk.compacted;
  if (2 * garbage >= stored) sparse_.insert(first);
}

std::vector<Seq> QueueState::sparse_chunks(std::size_t max) const {
  std::vector<Seq> chunks;
  const auto count = static_cast<std::ptrdiff_t>(std::min(max, sparse_.size()));
  std::copy_n(sparse_.begin(), count, std::back_inserter(chunks));
  return chunks;
}

const ChunkState* QueueState::stored_chunk(Seq first) const {
  const auto chunk = window_.find(first);
  return chunk == window_.end() || chunk->second.open ? nullptr : &chunk->second;
}

void QueueState::compact_chunk(Seq first) {
  const auto found = window_.find(first);
  HOLDFAST_CHECK(found != window_.end() && !found->second.open, "only a chunk in the store is stored anew");
  ChunkState& chunk = found->second;
  chunk.compacted = chunk.done;
  sparse_.erase(first);
}

std::uint64_t QueueState::purge() {
  const QueueCounts before = counts();
  window_.clear();
  ahead_.clear();
  returned_.clear();
  timers_.clear();
  exhausted_.clear();
  far_.clear();
  tailing_.clear();
  sparse_.clear();
  scheduled_.purge();
  unread_.clear();
  if (groups_) groups_.emplace(groups_->grouping());
  open_.clear();
  cursor_ = ahead_end_ = next_seq_;
  fresh_ = returned_count_ = waiting_ = leased_ = dead_ = 0;
  bytes_ = ready_bytes_ = leaving_bytes_ = 0;
  changes_ = {};
  changes_.purged_before = next_seq_;
  return before.ready + before.waiting + before.leased;
}

}  // namespace holdfast
