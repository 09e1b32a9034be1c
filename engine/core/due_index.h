// The index knows what is to be done with the messages of one lane although no call asks for it: which leases
// and delays end, and which messages are to leave. MessageStates and the transitions keep it up to date.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "engine/base/helpers/check.h"
#include "engine/core/chunk_state.h"
#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast {

class DueIndex {
 public:
  // A TimedChunk is a chunk of the window, with its first seq.
  using TimedChunk = std::pair<const Seq, ChunkState>;

  // Returns when a message is to be expired or moved. Exhausted messages do not count: the call that made
  // them exhausted moves them, or has the scheduler look at the queue again for those that it leaves.
  Timestamp next() const { return far_.empty() && tailing_.empty() ? next_timer() : Timestamp::min(); }

  // --- leases and delays ---

  Timestamp next_timer() const { return timers_.empty() ? Timestamp::max() : timers_.begin()->first; }
  // Returns the chunk whose time next_timer() is. There must be one.
  Seq first_timed() const {
    HOLDFAST_CHECK(!timers_.empty(), "a chunk is timed");
    return timers_.begin()->second;
  }
  // Says that a message of the chunk is due at `due`.
  void schedule(TimedChunk& chunk, Timestamp due) {
    if (due < chunk.second.next_due) reschedule(chunk, due);
  }
  // Says that no message of the chunk is due before `due`; with max(), that none is due at all.
  void reschedule(TimedChunk& chunk, Timestamp due) {
    auto& [first, state] = chunk;
    if (state.next_due != Timestamp::max()) timers_.erase({state.next_due, first});
    state.next_due = due;
    if (due != Timestamp::max()) timers_.emplace(due, first);
  }
  // Returns whether the timers have the chunk at the time that it says, and only if it says one.
  bool agrees_with(const TimedChunk& chunk) const {
    const bool is_timed = chunk.second.next_due != Timestamp::max();
    return is_timed == timers_.contains({chunk.second.next_due, chunk.first});
  }

  // --- messages that are to leave ---

  // Returns the messages in EntryState::kExhausted, which leave to the dead letter queue or for good.
  std::set<Seq>& exhausted() { return exhausted_; }
  const std::set<Seq>& exhausted() const { return exhausted_; }
  // Returns messages that may wait beyond the horizon, and then move to `scheduled`. Some may wait for less.
  std::set<Seq>& far() { return far_; }
  const std::set<Seq>& far() const { return far_; }
  // Returns the messages that wait with Entry::to_tail, and move behind all others.
  std::set<Seq>& tailing() { return tailing_; }
  const std::set<Seq>& tailing() const { return tailing_; }

 private:
  std::set<std::pair<Timestamp, Seq>> timers_;  // next_due and first seq of each chunk that has a time
  std::set<Seq> exhausted_;
  std::set<Seq> far_;
  std::set<Seq> tailing_;
};

}  // namespace holdfast
