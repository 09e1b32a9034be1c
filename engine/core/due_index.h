// What is to be done with the messages of one lane though nobody asks for it: leases and delays that end, and
// messages that are to leave their places. Kept by MessageStates and by the transitions.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "engine/core/chunk_state.h"
#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast {

class DueIndex {
 public:
  // A chunk of the window, by its first seq.
  using TimedChunk = std::pair<const Seq, ChunkState>;

  // When there is something to expire or to move. Exhausted messages do not count: whoever made them so moves
  // them.
  Timestamp next() const { return far_.empty() && tailing_.empty() ? next_timer() : Timestamp::min(); }

  // --- leases and delays ---

  Timestamp next_timer() const { return timers_.empty() ? Timestamp::max() : timers_.begin()->first; }
  // The chunk that next_timer() is about; there must be one.
  Seq first_timed() const { return timers_.begin()->second; }
  // A message of the chunk is due at that time.
  void schedule(TimedChunk& chunk, Timestamp due) {
    if (due < chunk.second.next_due) reschedule(chunk, due);
  }
  // No message of the chunk is due earlier. max(): none is due.
  void reschedule(TimedChunk& chunk, Timestamp due) {
    auto& [first, state] = chunk;
    if (state.next_due != Timestamp::max()) timers_.erase({state.next_due, first});
    state.next_due = due;
    if (due != Timestamp::max()) timers_.emplace(due, first);
  }
  // Whether the timers have the chunk where it says, and only if it says so.
  bool agrees_with(const TimedChunk& chunk) const {
    const bool is_timed = chunk.second.next_due != Timestamp::max();
    return is_timed == timers_.contains({chunk.second.next_due, chunk.first});
  }

  // --- messages that are to leave ---

  // EntryState::kExhausted: to the dead letter queue, or nowhere.
  std::set<Seq>& exhausted() { return exhausted_; }
  const std::set<Seq>& exhausted() const { return exhausted_; }
  // Those that may wait beyond the horizon: to `scheduled`.
  std::set<Seq>& far() { return far_; }
  const std::set<Seq>& far() const { return far_; }
  // Those that wait with Entry::to_tail: behind all others.
  std::set<Seq>& tailing() { return tailing_; }
  const std::set<Seq>& tailing() const { return tailing_; }

 private:
  std::set<std::pair<Timestamp, Seq>> timers_;  // (next_due, chunk)
  std::set<Seq> exhausted_;
  std::set<Seq> far_;
  std::set<Seq> tailing_;
};

}  // namespace holdfast
