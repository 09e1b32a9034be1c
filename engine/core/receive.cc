#include <algorithm>
#include <iterator>

#include "core/queue_state.h"
#include "core/seq_math.h"

namespace holdfast {

void QueueState::lease(Window::iterator chunk, std::uint32_t index, const LeaseTerms& terms,
                       std::vector<Grant>& grants) {
  Entry& entry = chunk->second.entries[index];
  set_state(chunk, entry, EntryState::kLeased);
  entry.due = terms.until;
  entry.held_ms = whole_ms(terms.length);
  entry.extended = 0;
  entry.lease = terms.id;
  if (!terms.nobody) entry.consumer = terms.consumer;
  entry.prefetched = !terms.begun;
  const auto length = std::chrono::ceil<std::chrono::milliseconds>(terms.length);
  entry.renewal_ms = terms.begun ? 0 : static_cast<std::uint32_t>(length.count());
  if (terms.begun) ++entry.deliveries;
  ++totals_.delivered;
  grants.push_back({chunk->first, index, entry.deliveries + (terms.begun ? 0 : 1)});
}

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

QueueState::Window::const_iterator QueueState::next_island() const {
  const auto island = window_.lower_bound(cursor_);
  if (island == window_.end() || island->first >= ahead_end_) return window_.end();
  return ahead_.empty() || island->first < ahead_.front().first ? island : window_.end();
}

ChunkState QueueState::enter_window(const ChunkSpan& span) const {
  const ChunkSpan* const open = open_span(span.first);
  const std::vector<std::uint32_t>& sizes = open != nullptr ? open->sizes : span.sizes;
  ChunkState chunk;
  chunk.entries.resize(span.count);
  for (std::size_t i = 0; i < sizes.size(); ++i) chunk.entries[i].bytes = sizes[i];
  chunk.dead_letters = span.dead_letters;
  chunk.replayed = span.replayed;
  chunk.open = open != nullptr;
  return chunk;
}

QueueState::Window::iterator QueueState::chunk_at_cursor() {
  if (const auto chunk = chunk_of(cursor_); chunk != window_.end()) return chunk;
  if (const auto island = next_island(); island != window_.end()) {
    cursor_ = island->first;
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

}  // namespace holdfast
