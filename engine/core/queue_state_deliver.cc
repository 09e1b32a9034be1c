// Handing messages out: first what came back, the lowest seq first, then what the cursor comes to. The cursor
// takes its chunks from the window where somebody was there before it, else from those that are remembered
// ahead of it; where these end, the caller reads on in the store (load_from, add_ahead). With aging
// priorities the queue also asks when the next message was sent (head_sent_at).
#include "engine/core/queue_state.h"

#include <algorithm>
#include <utility>

#include "engine/base/helpers/check.h"
#include "engine/core/seq_math.h"
#include "holdfast/limits.h"

namespace holdfast {

std::vector<Grant> QueueState::receive(std::size_t max, const LeaseTerms& terms, ByteBudget& budget) {
  return groups_ ? receive_grouped(max, terms, budget) : lease_oldest(max, terms, budget);
}

std::vector<Grant> QueueState::lease_oldest(std::size_t max, const LeaseTerms& terms, ByteBudget& budget) {
  std::vector<Grant> grants;
  grants.reserve(std::min<std::size_t>(max, fresh_ + returned_count_));
  while (grants.size() < max && !budget.spent() && !returned_.empty()) {
    const auto chunk = window_.find(*returned_.begin());
    auto& entries = chunk->second.entries;
    for (std::uint32_t i = 0; i < entries.size() && grants.size() < max; ++i) {
      if (entries[i].state != EntryState::kReady) continue;
      if (!budget.take(entries[i].bytes)) break;
      lease(chunk, i, terms, grants);
    }
    schedule(chunk, terms.until);
  }
  while (grants.size() < max && !budget.spent()) {
    const auto chunk = chunk_at_cursor();
    if (chunk == window_.end()) break;
    auto& entries = chunk->second.entries;
    auto index = static_cast<std::uint32_t>(cursor_ - chunk->first);
    for (; index < entries.size() && grants.size() < max; ++index) {
      if (entries[index].state != EntryState::kFresh) continue;
      if (!budget.take(entries[index].bytes)) break;
      lease(chunk, index, terms, grants);
    }
    cursor_ = chunk->first + index;
    schedule(chunk, terms.until);
  }
  return grants;
}

void QueueState::lease(Window::iterator chunk, std::uint32_t index, const LeaseTerms& terms,
                       std::vector<Grant>& grants) {
  Entry& entry = chunk->second.entries[index];
  set_state(chunk, entry, EntryState::kLeased);
  entry.due = terms.until;
  entry.held_ms = whole_ms(terms.length);
  entry.extended = 0;
  entry.lease = terms.id;
  if (!terms.nobody) entry.consumer = terms.consumer;
  entry.prefetched = terms.prefetch;
  const auto length = std::chrono::ceil<std::chrono::milliseconds>(terms.length);
  entry.renewal_ms = terms.prefetch ? static_cast<std::uint32_t>(length.count()) : 0;
  if (!terms.prefetch) ++entry.deliveries;
  ++totals_.delivered;
  grants.push_back({chunk->first, index, entry.deliveries + (terms.prefetch ? 1 : 0)});
}

QueueState::Window::iterator QueueState::chunk_at_cursor() {
  if (const auto chunk = chunk_of(cursor_); chunk != window_.end()) return chunk;
  if (const auto detached = next_detached(); detached != window_.end()) {
    cursor_ = detached->first;
    return chunk_of(cursor_);
  }
  if (ahead_.empty()) return window_.end();
  ChunkSpan span = std::move(ahead_.front());
  ahead_.pop_front();
  cursor_ = span.first;
  ChunkState chunk = enter_window(span);
  chunk.sent_at = span.sent_at;
  chunk.groups = std::move(span.groups);
  return window_.emplace(span.first, std::move(chunk)).first;
}

QueueState::Window::const_iterator QueueState::next_detached() const {
  const auto detached = window_.lower_bound(cursor_);
  if (detached == window_.end() || detached->first >= ahead_end_) return window_.end();
  return ahead_.empty() || detached->first < ahead_.front().first ? detached : window_.end();
}

ChunkState QueueState::enter_window(const ChunkSpan& span) const {
  const ChunkSpan* const open = open_span(span.first);
  const std::vector<std::uint32_t>& sizes = open != nullptr ? open->sizes : span.sizes;
  HOLDFAST_CHECK(sizes.size() <= span.count, "a chunk has no more sizes than messages");
  ChunkState chunk;
  chunk.entries.resize(span.count);
  for (std::size_t i = 0; i < sizes.size(); ++i) chunk.entries[i].bytes = sizes[i];
  chunk.dead_letters = span.dead_letters;
  chunk.replayed = span.replayed;
  chunk.open = open != nullptr;
  return chunk;
}

std::optional<Seq> QueueState::load_from() const {
  if (!unread_.empty()) return ahead_end_;
  if (groups_ && groups_->ready() >= limits::kGroupLookahead) return std::nullopt;
  const bool in_memory =
      chunk_of(cursor_) != window_.end() || next_detached() != window_.end() || !ahead_.empty();
  if (in_memory || ahead_end_ == next_seq_) return std::nullopt;
  return ahead_end_;
}

void QueueState::add_ahead(Seq from, std::span<const ChunkSpan> chunks, Seq end) {
  if (load_from() != from) return;
  // Read before grouping was turned on: to be read again.
  if (groups_ && std::ranges::any_of(chunks, [](const auto& chunk) { return chunk.groups.empty(); })) return;
  for (const ChunkSpan& chunk : chunks) {
    if (!window_.contains(chunk.first) && is_untouched(chunk.first)) ahead_.push_back(chunk);
  }
  ahead_end_ = end;
}

void QueueState::remove_ahead(Seq first) {
  ahead_.erase(std::remove_if(ahead_.begin(), ahead_.end(),
                              [&](const ChunkSpan& chunk) { return chunk.first == first; }),
               ahead_.end());
}

void QueueState::set_timed(bool timed) {
  if (timed == timed_) return;
  timed_ = timed;
  for (const auto& [first, chunk] : window_) {
    if (timed && chunk.sent_at == Timestamp{}) unread_.insert(first);
  }
  if (!timed && !groups_) unread_.clear();
}

std::optional<Timestamp> QueueState::head_sent_at() {
  if (!unread_.empty()) return std::nullopt;
  if (!returned_.empty()) return window_.find(*returned_.begin())->second.sent_at;
  if (const auto chunk = pass_taken(); chunk != window_.end()) return chunk->second.sent_at;
  if (!ahead_.empty()) return ahead_.front().sent_at;
  return std::nullopt;
}

QueueState::Window::const_iterator QueueState::pass_taken() {
  for (;;) {
    auto chunk = std::as_const(*this).chunk_of(cursor_);
    if (chunk == window_.end()) chunk = next_detached();
    if (chunk == window_.end()) return chunk;
    const auto& [first, state] = *chunk;
    cursor_ = std::max(cursor_, first);
    const Seq end = first + state.count();
    while (cursor_ < end && state.entry(cursor_ - first).state != EntryState::kFresh) cursor_ = cursor_ + 1;
    if (cursor_ < end) return chunk;
  }
}

}  // namespace holdfast
