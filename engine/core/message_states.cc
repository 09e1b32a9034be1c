#include "engine/core/message_states.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/helpers/check.h"
#include "engine/base/helpers/costly_check.h"
#include "engine/core/seq_math.h"

namespace holdfast {
namespace {

constexpr FailureSlots bit_of(std::size_t slot) { return static_cast<FailureSlots>(1U << slot); }

Seq first_in(EntryState state, Seq first, const ChunkState& chunk) {
  const auto entry = std::ranges::find(chunk.entries, state, &Entry::state);
  return first + static_cast<std::uint64_t>(entry - chunk.entries.begin());
}

}  // namespace

void MessageStates::restore(Seq first, ChunkState chunk) {
  const auto restored = log_.restore(first, std::move(chunk));
  const ChunkState& state = restored->second;
  Timestamp next = Timestamp::max();
  for (std::uint64_t i = 0; i < state.entries.size(); ++i) {
    const Entry& entry = state.entries[i];
    tally_.restore(entry);
    if (entry.to_tail) due_.tailing().insert(first + i);
    const bool timed = entry.state == EntryState::kLeased || entry.state == EntryState::kWaiting;
    if (timed && !entry.to_tail) next = std::min(next, entry.due);
    // Messages that do not wait that long are sorted out when somebody looks at them.
    if (entry.state == EntryState::kWaiting && !entry.to_tail && !state.dead_letters)
      due_.far().insert(first + i);
    if (entry.state == EntryState::kExhausted) due_.exhausted().insert(first + i);
  }
  order_.enter(first);
  if (state.ready > 0) returned_.insert(first);
  due_.reschedule(*restored, next);
  note_sparse(first, state);
  pack(first);
}

Seq MessageStates::append(bool new_chunk, bool dead_letter, Timestamp sent_at, GroupKey group, bool replayed,
                          std::uint32_t bytes) {
  const Seq seq = log_.next_seq();
  if (new_chunk) log_.open_chunk(dead_letter, sent_at, replayed);
  const ChunkSpan* const open = log_.last_open();
  HOLDFAST_CHECK(open != nullptr && open->dead_letters == dead_letter,
                 "a message is appended to an open chunk of its kind");
  tally_.append(bytes, dead_letter);
  // If the first messages of the chunk came before grouping was turned on, it is read again instead.
  const bool with_group = order_.groups() != nullptr && open->groups.size() == open->count;
  const auto chunk = log_.append(bytes, with_group ? &group : nullptr);
  if (chunk != log_.window().end()) {
    // A chunk that is to be read for its groups has none, and one that is to be read for its time has all.
    if (with_group && chunk->second.groups.size() + 1 == chunk->second.count())
      chunk->second.groups.push_back(group);
    touch(chunk);
  }
  return seq;
}

Window::iterator MessageStates::find_or_detach(Seq seq, const ChunkSpan& span) {
  auto chunk = log_.window().chunk_of(seq);
  if (chunk == log_.window().end()) {
    order_.enter(span.first);
    chunk = log_.detach(span);
  }
  return chunk;
}

void MessageStates::set_state(Window::iterator chunk, Entry& entry, EntryState state) {
  HOLDFAST_CHECK(entry.state != EntryState::kDone, "a done message never changes");
  const Seq seq = chunk->first + static_cast<std::uint64_t>(&entry - chunk->second.entries.data());
  switch (entry.state) {
    case EntryState::kReady:
      HOLDFAST_CHECK(chunk->second.ready > 0, "a ready message is counted in its chunk");
      if (--chunk->second.ready == 0) returned_.erase(chunk->first);
      break;
    case EntryState::kWaiting:
      if (entry.to_tail) due_.tailing().erase(seq);
      entry.to_tail = false;
      break;
    case EntryState::kExhausted:
      due_.exhausted().erase(seq);
      break;
    case EntryState::kFresh:
    case EntryState::kLeased:
    case EntryState::kDone:
      break;
  }
  tally_.change(entry.state, state, entry.bytes);
  if (!chunk->second.groups.empty()) {
    HOLDFAST_CHECK(order_.groups() != nullptr && seq - chunk->first < chunk->second.groups.size(),
                   "a chunk knows the groups of all of its messages, on a queue with grouping");
    order_.groups()->change(chunk->second.groups[seq - chunk->first], seq, entry.state, state);
  }
  entry.state = state;
  switch (state) {
    case EntryState::kReady:
      if (++chunk->second.ready == 1) returned_.insert(chunk->first);
      break;
    case EntryState::kExhausted:
      due_.exhausted().insert(seq);
      break;
    case EntryState::kDone:
      ++chunk->second.done;
      break;
    case EntryState::kFresh:
    case EntryState::kLeased:
    case EntryState::kWaiting:
      break;
  }
  touch(chunk);
}

void MessageStates::finish(Window::iterator chunk, Seq seq) {
  Entry& entry = chunk->second.entries[seq - chunk->first];
  set_state(chunk, entry, EntryState::kDone);
  if (entry.described != 0) undescribe(seq, entry, entry.described);
  entry.attempts.reset();
  if (chunk->second.dead_letters) {
    tally_.remove_dead_letter();
    changes_.settle_dead(seq);
  }
  // An open chunk may still grow, so close_group() looks at it again.
  if (chunk->second.finished() && !chunk->second.open) drop(chunk, true);
}

void MessageStates::drop(Window::iterator chunk, bool stored) {
  const auto& [first, state] = *chunk;
  FinishedChunk finished{
      {first, static_cast<std::uint32_t>(state.count()), state.dead_letters}, state.row_puts, stored};
  due_.reschedule(*chunk, Timestamp::max());
  order_.leave(first);
  if (!sparse_.empty()) sparse_.erase(first);
  HOLDFAST_CHECK(state.ready == 0, "a finished chunk has no ready message");
  const bool past_cursor = log_.erase(chunk);
  changes_.finish_chunk(std::move(finished), past_cursor);
}

bool MessageStates::remove_untouched(const ChunkSpan& span) {
  if (order_.groups() != nullptr || !log_.erase_untouched(span)) return false;
  tally_.remove_fresh_dead_letters(span.count,
                                   std::accumulate(span.sizes.begin(), span.sizes.end(), std::uint64_t{0}));
  changes_.finish_chunk({span, ChunkState::RowPuts::kNone, true}, true);
  changes_.settle_dead_chunk(span);
  return true;
}

void MessageStates::purge() {
  log_.purge();
  tally_ = {};
  due_ = {};
  order_.purge();
  changes_.purge(log_.next_seq());
  returned_.clear();
  sparse_.clear();
  HOLDFAST_CHECK(log_.window().empty() && log_.cursor() == log_.next_seq(),
                 "nothing is left before the next message of a lane that was purged");
}

void MessageStates::note_failure(Seq seq, Entry& entry, Timestamp at, AttemptEnd end) {
  if (entry.first_failed_at == Timestamp{}) entry.first_failed_at = at;
  entry.last_failed_at = at;
  const Duration held = std::chrono::milliseconds(entry.held_ms) - (entry.due - at);
  AttemptNote attempt{.failed_at = at, .end = end, .extended = entry.extended, .held_ms = whole_ms(held)};
  if (entry.consumer) attempt.consumer = *entry.consumer;
  entry.attempts = attempts_.add(entry.attempts, attempt);
  // An attempt that is no longer kept may have had this slot, and its description goes.
  undescribe_next(seq, entry);
}

FailurePlace MessageStates::describe(Window::iterator chunk, Entry& entry) {
  const Seq seq = chunk->first + static_cast<std::uint64_t>(&entry - chunk->second.entries.data());
  const FailurePlace place{home_of(seq, entry), next_failure_slot(entry.attempts.get())};
  entry.set_described(entry.described | bit_of(place.slot));
  HOLDFAST_CHECK((entry.described & bit_of(place.slot)) != 0, "a description lies in one of the slots");
  changes_.describe(place);
  touch(chunk);
  return place;
}

void MessageStates::undescribe(Seq seq, Entry& entry, FailureSlots slots) {
  const auto going = static_cast<FailureSlots>(entry.described & unsigned{slots});
  if (going == 0) return;
  entry.set_described(entry.described & ~unsigned{going});
  changes_.undescribe(home_of(seq, entry), going);
}

void MessageStates::undescribe_next(Seq seq, Entry& entry) {
  if (entry.described != 0) undescribe(seq, entry, bit_of(next_failure_slot(entry.attempts.get())));
}

Seq MessageStates::first_ready() const {
  if (returned_.empty()) return log_.cursor();
  const auto chunk = log_.window().chunk_at(*returned_.begin());
  HOLDFAST_CHECK(chunk != log_.window().end(), "a chunk with ready messages is in the window");
  return first_in(EntryState::kReady, chunk->first, chunk->second);
}

std::optional<Seq> MessageStates::first_leased() const {
  if (tally_.leased() == 0) return std::nullopt;
  for (const auto& [first, chunk] : log_.window()) {
    const Seq seq = first_in(EntryState::kLeased, first, chunk);
    if (seq - first < chunk.entries.size()) return seq;
  }
  return std::nullopt;
}

Window::iterator MessageStates::first_returned() {
  return returned_.empty() ? log_.window().end() : log_.window().chunk_at(*returned_.begin());
}

std::optional<Timestamp> MessageStates::head_sent_at() {
  if (!order_.unread().empty()) return std::nullopt;
  if (!returned_.empty()) return first_returned()->second.sent_at;
  return log_.next_sent_at();
}

GroupChanges MessageStates::close_group() {
  for (ChunkSpan& span : log_.take_open()) {
    const auto chunk = log_.close_chunk(std::move(span));
    if (chunk != log_.window().end() && chunk->second.finished()) drop(chunk, false);
  }
  changes_.drop_dirty_if([&](Seq first) {
    const auto chunk = log_.window().chunk_at(first);
    if (chunk == log_.window().end()) return true;
    note_sparse(first, chunk->second);
    return false;
  });
  HOLDFAST_COSTLY_CHECK(is_consistent(), "the counts of a queue are what the entries of its window say");
  return changes_.take();
}

const ChunkState& MessageStates::chunk_for_row(Seq first) {
  using RowPuts = ChunkState::RowPuts;
  const auto found = log_.window().chunk_at(first);
  HOLDFAST_CHECK(found != log_.window().end() && found->second.dirty,
                 "a row is written of a chunk that close_group() gave as dirty");
  ChunkState& chunk = found->second;
  HOLDFAST_CHECK(chunk.packed.empty(), "a chunk whose row is to be written has its entries");
  chunk.dirty = false;
  chunk.row_puts = chunk.row_puts == RowPuts::kNone ? RowPuts::kOne : RowPuts::kMany;
  return chunk;
}

void MessageStates::pack(Seq first) {
  const auto chunk = log_.window().chunk_at(first);
  HOLDFAST_CHECK(chunk != log_.window().end(), "only a chunk of the window is packed");
  if (first >= log_.cursor() && !chunk->second.open) chunk->second.pack();
}

// This is called once for each chunk that a group changed and left in place, so a chunk that is settled in
// one sweep costs nothing.
void MessageStates::note_sparse(Seq first, const ChunkState& chunk) {
  HOLDFAST_CHECK(chunk.compacted <= chunk.done && chunk.done <= chunk.count(),
                 "a stored chunk leaves out done messages alone");
  const std::size_t stored = chunk.count() - chunk.compacted;
  const std::size_t garbage = chunk.done - chunk.compacted;
  if (2 * garbage >= stored) sparse_.insert(first);
}

void MessageStates::compact_chunk(Seq first) {
  const auto found = log_.window().chunk_at(first);
  HOLDFAST_CHECK(found != log_.window().end() && !found->second.open,
                 "only a chunk in the store is stored anew");
  ChunkState& chunk = found->second;
  chunk.compacted = chunk.done;
  sparse_.erase(first);
}

bool MessageStates::is_consistent() const {
  std::uint64_t leased = 0;
  std::uint64_t waiting = 0;
  std::uint64_t ready = 0;
  std::set<Seq> returned;
  std::set<Seq> exhausted;
  std::set<Seq> tailing;
  std::uint64_t leaving_bytes = 0;
  std::size_t ready_of_groups = 0;
  for (const auto& chunk : log_.window()) {
    const auto& [first, state] = chunk;
    std::uint32_t done = 0;
    const std::uint64_t ready_before = ready;
    for (std::size_t i = 0; i < state.count(); ++i) {
      const EntryState of_message = state.entry(i).state;
      if (state.entry(i).to_tail) tailing.insert(first + i);
      if (of_message == EntryState::kDone) ++done;
      if (of_message == EntryState::kLeased) ++leased;
      if (of_message == EntryState::kReady) ++ready;
      if (of_message == EntryState::kReady) returned.insert(first);
      if (of_message == EntryState::kWaiting || of_message == EntryState::kExhausted) ++waiting;
      if (of_message == EntryState::kExhausted) exhausted.insert(first + i);
      if (of_message == EntryState::kExhausted) leaving_bytes += state.bytes_of(i);
    }
    if (!state.groups.empty()) ready_of_groups += state.ready;
    if (done != state.done || ready - ready_before != state.ready || !due_.agrees_with(chunk)) return false;
  }
  if (order_.groups() != nullptr && order_.groups()->ready() != ready_of_groups) return false;
  return ready == tally_.returned() && leased == tally_.leased() && waiting == tally_.waiting() &&
         leaving_bytes == tally_.leaving_bytes() && returned == returned_ && exhausted == due_.exhausted() &&
         tailing == due_.tailing();
}

}  // namespace holdfast
