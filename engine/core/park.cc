// Messages of the window that wait for long leave it.
#include "core/queue_state.h"
#include "core/seq_math.h"

namespace holdfast {

bool QueueState::waits_beyond(const Entry& entry, Timestamp horizon) {
  return entry.state == EntryState::kWaiting && entry.due > horizon;
}

void QueueState::note_wait(Window::iterator chunk, const Entry& entry, Timestamp now) {
  // A dead letter stays, since its failure record names its place in the log; and so does a message of an
  // ordered group, which would lose its turn.
  if (chunk->second.dead_letters || grouping() == Grouping::kOrdered || !waits_beyond(entry, now + kHorizon))
    return;
  far_.insert(chunk->first + static_cast<std::uint64_t>(&entry - chunk->second.entries.data()));
}

std::vector<Doomed> QueueState::far_waiting(Timestamp now, std::size_t max) {
  std::vector<Doomed> result;
  for (auto next = far_.begin(); next != far_.end() && result.size() < max;) {
    const Seq seq = *next;
    if (waits_far(seq, now)) {
      const Seq first = chunk_of(seq)->first;
      result.push_back({first, static_cast<std::uint32_t>(seq - first)});
      ++next;
    } else {
      next = far_.erase(next);
    }
  }
  return result;
}

bool QueueState::waits_far(Seq seq, Timestamp now) const {
  const auto chunk = chunk_of(seq);
  return chunk != window_.end() && grouping() != Grouping::kOrdered &&
         waits_beyond(chunk->second.entry(seq - chunk->first), now + kHorizon);
}

Timestamp QueueState::due_of(Seq seq) const {
  const auto chunk = chunk_of(seq);
  return chunk->second.entry(seq - chunk->first).due;
}

void QueueState::reenter(Seq seq, const FailureHistory& history, ReturnTo at) {
  auto chunk = chunk_of(seq);
  if (chunk == window_.end()) chunk = make_island(open_.back());
  Entry& entry = chunk->second.entries[seq - chunk->first];
  entry.deliveries = history.deliveries;
  entry.first_failed_at = history.first_failed_at;
  entry.last_failed_at = history.last_failed_at;
  entry.consumer = history.consumer;
  entry.attempts = history.attempts;
  entry.set_described(history.described);
  if (entry.described != 0) {
    AttemptNotes notes = *history.attempts;
    notes.home = history.home;
    entry.attempts = std::make_shared<const AttemptNotes>(std::move(notes));
  }
  if (at == ReturnTo::kTail) return touch(chunk);
  set_state(chunk, entry, EntryState::kReady);
}

}  // namespace holdfast
