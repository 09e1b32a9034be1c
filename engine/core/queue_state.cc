// What all transitions of a queue's state are made of: finding a chunk of the window, changing an entry's
// state and the counts with it, timers; and what can be seen from outside.
#include "engine/core/queue_state.h"

#include <algorithm>

#include "engine/base/helpers/check.h"
#include "engine/core/seq_math.h"

namespace holdfast {
namespace {

Seq first_in(EntryState state, Seq first, const ChunkState& chunk) {
  const auto entry = std::ranges::find(chunk.entries, state, &Entry::state);
  return first + static_cast<std::uint64_t>(entry - chunk.entries.begin());
}

template <class Window>
auto find_chunk(Window& window, Seq seq) {
  auto chunk = window.upper_bound(seq);
  if (chunk == window.begin()) return window.end();
  --chunk;
  return seq - chunk->first < chunk->second.count() ? chunk : window.end();
}

}  // namespace

QueueState::Window::iterator QueueState::chunk_of(Seq seq) {
  const auto chunk = find_chunk(window_, seq);
  if (chunk != window_.end()) chunk->second.unpack();
  return chunk;
}

QueueState::Window::const_iterator QueueState::chunk_of(Seq seq) const { return find_chunk(window_, seq); }

const ChunkSpan* QueueState::open_span(Seq first) const {
  const auto span = std::ranges::find(open_, first, &ChunkSpan::first);
  return span == open_.end() ? nullptr : &*span;
}

// Every change of an entry's state goes through here, so the counts follow it.
void QueueState::set_state(Window::iterator chunk, Entry& entry, EntryState state) {
  HOLDFAST_CHECK(entry.state != EntryState::kDone, "a message that is done changes no more");
  const Seq seq = chunk->first + static_cast<std::uint64_t>(&entry - chunk->second.entries.data());
  switch (entry.state) {
    case EntryState::kFresh:
      --fresh_;
      ready_bytes_ -= entry.bytes;
      break;
    case EntryState::kReady:
      --returned_count_;
      ready_bytes_ -= entry.bytes;
      if (--chunk->second.ready == 0) returned_.erase(chunk->first);
      break;
    case EntryState::kLeased:
      --leased_;
      break;
    case EntryState::kWaiting:
      --waiting_;
      if (entry.to_tail) tailing_.erase(seq);
      entry.to_tail = false;
      break;
    case EntryState::kExhausted:
      --waiting_;
      leaving_bytes_ -= entry.bytes;
      exhausted_.erase(seq);
      break;
    case EntryState::kDone:
      break;
  }
  if (!chunk->second.groups.empty()) {
    groups_->change(chunk->second.groups[seq - chunk->first], seq, entry.state, state);
  }
  entry.state = state;
  switch (state) {
    case EntryState::kFresh:
      ++fresh_;
      ready_bytes_ += entry.bytes;
      break;
    case EntryState::kReady:
      ++returned_count_;
      ready_bytes_ += entry.bytes;
      if (++chunk->second.ready == 1) returned_.insert(chunk->first);
      break;
    case EntryState::kLeased:
      ++leased_;
      break;
    case EntryState::kWaiting:
      ++waiting_;
      break;
    case EntryState::kExhausted:
      ++waiting_;
      leaving_bytes_ += entry.bytes;
      exhausted_.insert(seq);
      break;
    case EntryState::kDone:
      ++chunk->second.done;
      bytes_ -= entry.bytes;
      break;
  }
  touch(chunk);
}

void QueueState::schedule(Window::iterator chunk, Timestamp due) {
  if (due < chunk->second.next_due) reschedule(chunk, due);
}

void QueueState::reschedule(Window::iterator chunk, Timestamp due) {
  auto& [first, state] = *chunk;
  if (state.next_due != Timestamp::max()) timers_.erase({state.next_due, first});
  state.next_due = due;
  if (due != Timestamp::max()) timers_.emplace(due, first);
}

void QueueState::touch(Window::iterator chunk) {
  if (chunk->second.dirty) return;
  chunk->second.dirty = true;
  changes_.dirty.push_back(chunk->first);
}

Timestamp QueueState::next_due() const {
  return far_.empty() && tailing_.empty() ? next_timer() : Timestamp::min();
}

QueueCounts QueueState::counts() const {
  return {.ready = fresh_ + returned_count_,
          .waiting = waiting_ + scheduled_.messages(),
          .leased = leased_,
          .dead = dead_};
}

std::uint32_t QueueState::bytes_of(Seq seq) const {
  const auto chunk = chunk_of(seq);
  return chunk == window_.end() ? 0 : chunk->second.bytes_of(seq - chunk->first);
}

FailureHistory QueueState::history(Seq seq) const {
  const auto chunk = chunk_of(seq);
  if (chunk == window_.end()) return {};
  const Entry& entry = chunk->second.entry(seq - chunk->first);
  return {.deliveries = entry.deliveries,
          .first_failed_at = entry.first_failed_at,
          .last_failed_at = entry.last_failed_at,
          .consumer = entry.consumer,
          .attempts = entry.attempts,
          .expired = entry.expired,
          .overflowed = entry.overflowed,
          .described = entry.described,
          .home = home_of(seq, entry)};
}

std::optional<ChunkSpan> QueueState::span_of(Seq seq) const {
  const auto chunk = chunk_of(seq);
  if (chunk == window_.end()) return std::nullopt;
  return ChunkSpan{.first = chunk->first,
                   .count = static_cast<std::uint32_t>(chunk->second.count()),
                   .dead_letters = chunk->second.dead_letters,
                   .replayed = chunk->second.replayed};
}

std::optional<MessageStatus> QueueState::peek(Seq seq) const {
  const auto chunk = chunk_of(seq);
  if (chunk == window_.end()) {
    if (!is_untouched(seq)) return std::nullopt;
    return MessageStatus{MessageState::kReady, std::nullopt, 0};
  }
  const Entry& entry = chunk->second.entry(seq - chunk->first);
  switch (entry.state) {
    case EntryState::kFresh:
    case EntryState::kReady:
      return MessageStatus{MessageState::kReady, std::nullopt, entry.deliveries};
    case EntryState::kLeased:
      return MessageStatus{MessageState::kLeased, entry.due, entry.deliveries};
    case EntryState::kWaiting:
      return MessageStatus{MessageState::kWaiting, entry.due, entry.deliveries};
    case EntryState::kExhausted:
      return MessageStatus{MessageState::kWaiting, std::nullopt, entry.deliveries};
    case EntryState::kDone:
      break;
  }
  return std::nullopt;
}

bool QueueState::is_consistent() const {
  std::uint64_t ready = 0;
  std::uint64_t leased = 0;
  std::uint64_t waiting = 0;
  std::set<Seq> returned;
  std::set<Seq> exhausted;
  for (const auto& [first, chunk] : window_) {
    std::uint32_t done = 0;
    for (std::size_t i = 0; i < chunk.count(); ++i) {
      const EntryState state = chunk.entry(i).state;
      if (state == EntryState::kDone) ++done;
      if (state == EntryState::kLeased) ++leased;
      if (state == EntryState::kReady) ++ready;
      if (state == EntryState::kReady) returned.insert(first);
      if (state == EntryState::kWaiting || state == EntryState::kExhausted) ++waiting;
      if (state == EntryState::kExhausted) exhausted.insert(first + i);
    }
    const bool is_timed = chunk.next_due != Timestamp::max();
    if (done != chunk.done || is_timed != timers_.contains({chunk.next_due, first})) return false;
  }
  return ready == returned_count_ && leased == leased_ && waiting == waiting_ && returned == returned_ &&
         exhausted == exhausted_;
}

Seq QueueState::head() const { return window_.empty() ? cursor_ : std::min(cursor_, window_.begin()->first); }

Seq QueueState::first_ready() const {
  if (returned_.empty()) return cursor_;
  const auto chunk = window_.find(*returned_.begin());
  return first_in(EntryState::kReady, chunk->first, chunk->second);
}

std::optional<Seq> QueueState::first_leased() const {
  if (leased_ == 0) return std::nullopt;
  for (const auto& [first, chunk] : window_) {
    const Seq seq = first_in(EntryState::kLeased, first, chunk);
    if (seq - first < chunk.entries.size()) return seq;
  }
  return std::nullopt;
}

}  // namespace holdfast
