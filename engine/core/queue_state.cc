#include "core/queue_state.h"

#include <algorithm>
#include <iterator>

#include "core/seq_math.h"

namespace holdfast {
namespace {

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

void QueueState::give_back(Window::iterator chunk, Entry& entry, Timestamp at,
                           std::optional<Timestamp> visible_at, ReturnTo to) {
  entry.prefetched = false;
  if (entry.expired) return set_state(chunk, entry, EntryState::kExhausted);
  if (to == ReturnTo::kTail && may_go_to_tail(chunk)) {
    entry.due = std::max(visible_at.value_or(at), at);
    set_state(chunk, entry, EntryState::kWaiting);
    entry.to_tail = true;
    tailing_.insert(chunk->first + static_cast<std::uint64_t>(&entry - chunk->second.entries.data()));
    return;
  }
  if (!visible_at || *visible_at <= at) return set_state(chunk, entry, EntryState::kReady);
  entry.due = *visible_at;
  set_state(chunk, entry, EntryState::kWaiting);
  schedule(chunk, entry.due);
  note_wait(chunk, entry, at);
}

void QueueState::note_failure(Seq seq, Entry& entry, Timestamp at, AttemptEnd end) {
  if (entry.first_failed_at == Timestamp{}) entry.first_failed_at = at;
  entry.last_failed_at = at;
  const Duration held = std::chrono::milliseconds(entry.held_ms) - (entry.due - at);
  AttemptNote attempt{.failed_at = at, .end = end, .extended = entry.extended, .held_ms = whole_ms(held)};
  if (entry.consumer) attempt.consumer = *entry.consumer;
  entry.attempts = attempts_.add(entry.attempts, attempt);
  undescribe_next(seq, entry);  // of an attempt that is not kept any more
}

void QueueState::note_failure(Seq seq, Timestamp at, AttemptEnd end) {
  const auto chunk = chunk_of(seq);
  note_failure(seq, chunk->second.entries[seq - chunk->first], at, end);
}

bool QueueState::is_last(const Entry& entry, Timestamp failed_at) const {
  if (max_deliveries_ != 0 && entry.deliveries >= max_deliveries_) return true;
  return lifetime_ > Duration{0} && failed_at - entry.first_failed_at > lifetime_;
}

bool QueueState::fail_delivery(Window::iterator chunk, Entry& entry, Timestamp at, AttemptEnd end,
                               const Return& how) {
  const Seq seq = chunk->first + static_cast<std::uint64_t>(&entry - chunk->second.entries.data());
  note_failure(seq, entry, at, end);
  if (!brake_ && is_last(entry, at)) {
    set_state(chunk, entry, EntryState::kExhausted);
    return true;
  }
  auto visible_at = how.visible_at;
  if (!visible_at) {
    const auto noise = static_cast<std::uint64_t>(seq) ^ (static_cast<std::uint64_t>(entry.lease) << 16);
    visible_at = at + retry_delay(retry_, entry.deliveries, noise);
  }
  if (brake_) {
    --entry.deliveries;
    visible_at = std::max(*visible_at, at + *brake_);
  }
  give_back(chunk, entry, at, visible_at, how.to.value_or(retry_.to));
  return entry.expired || entry.to_tail;
}

void QueueState::finish(Window::iterator chunk, Seq seq) {
  Entry& entry = chunk->second.entries[seq - chunk->first];
  set_state(chunk, entry, EntryState::kDone);
  undescribe(seq, entry, entry.described);
  entry.attempts.reset();
  if (chunk->second.dead_letters) {
    --dead_;
    changes_.settled_dead.push_back(seq);
  }
  drop_if_finished(chunk);
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

ReceiptCheck QueueState::check(Seq seq, LeaseId lease) const {
  const auto chunk = chunk_of(seq);
  if (chunk == window_.end()) return ReceiptCheck::kGone;
  const Entry& entry = chunk->second.entry(seq - chunk->first);
  if (entry.state == EntryState::kDone) return ReceiptCheck::kGone;
  const bool valid = entry.state == EntryState::kLeased && entry.lease == lease;
  return valid ? ReceiptCheck::kValid : ReceiptCheck::kStale;
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

Timestamp QueueState::next_due() const {
  return far_.empty() && tailing_.empty() ? next_timer() : Timestamp::min();
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

}  // namespace holdfast
