// The engine's time is a time of day, but it passes by the steady clock. If the wall clock says something
// else because it was set, the engine's time goes a little faster or slower until the two agree. So a step of
// the wall clock changes no duration by more than a twentieth, and the engine's time is right again after 21
// times the step.
//
// Deadlines on disk lie on a line of their own, stored time, which never goes back, also over openings. If
// the wall clock is behind the latest stored time that the directory has seen, stored time begins there, and
// its distance to the engine's time stays the same until the directory is opened again. So what was stored
// ends no later than its own length after the opening, whatever the clock said when it was stored.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "engine/sync/mutex.h"
#include "holdfast/time.h"

namespace holdfast {

class EngineClock {
 public:
  // Begins the engine's time at the wall clock's present time.
  explicit EngineClock(const Clock& clock);

  // Tells the latest stored time that the directory has seen. It is called when the engine opens, before
  // anybody else asks for a time.
  void begin_after(Timestamp latest);

  // Returns the engine's time, which never runs backwards. Any thread may call it.
  Timestamp now();
  // Returns what the wall clock says. Times that people give are compared with this.
  Timestamp wall() const { return clock_.now(); }
  // of_wall() returns when, in the engine's time, the wall clock will say `wall_time` if no clock is set
  // until then. to_wall() returns what the wall clock will say at the engine's `time`. Both return
  // min() and max() unchanged.
  Timestamp of_wall(Timestamp wall_time);
  Timestamp to_wall(Timestamp time);

  // stored() returns the stored time that corresponds to the engine's `time`, and loaded() the reverse. min()
  // stands for at once and max() for never. Neither is a time that could be shifted, and each stays what it
  // is.
  Timestamp stored(Timestamp time) const { return shifted(time, ahead_); }
  Timestamp loaded(Timestamp stored_time) const { return shifted(stored_time, -ahead_); }
  Timestamp stored_now() { return stored(now()); }
  // Returns how far stored time is ahead of the engine's time.
  Duration ahead() const { return ahead_; }

  // Returns by how much the wall clock was set since the last call, or nothing. Changes of less than kStep
  // add up.
  std::optional<Duration> take_step();
  struct Deviation {
    std::uint64_t steps = 0;  // steps that take_step() returned
    Duration left{};          // the wall clock's time minus the engine's
  };
  Deviation deviation();

  // The wall clock must change by this much for the change to count as a step.
  static constexpr Duration kStep = std::chrono::seconds(1);

 private:
  struct Reading {
    Duration steady{};
    Timestamp wall{};
    Duration offset() const { return wall.time_since_epoch() - steady; }
  };
  Reading read() const;
  // Reads both clocks.
  void look() HOLDFAST_REQUIRES(mutex_);
  // Moves the engine's time on to a reading.
  void follow(Reading reading) HOLDFAST_REQUIRES(mutex_);
  static Timestamp shifted(Timestamp time, Duration by) {
    const bool is_time = time != Timestamp::min() && time != Timestamp::max();
    return is_time ? time + by : time;
  }

  // A duration d of this time takes d/(1 + 1/21) to d/(1 - 1/21) by the steady clock, which is 95.5 % to
  // 105 %.
  static constexpr Duration::rep kSlew = 21;
  // now() does not read the wall clock more often than this.
  static constexpr Duration kLookEvery = std::chrono::milliseconds(1);

  const Clock& clock_;
  Duration ahead_{};  // fixed after the opening

  sync::Mutex mutex_;
  Reading last_ HOLDFAST_GUARDED_BY(mutex_);
  Duration looked_at_ HOLDFAST_GUARDED_BY(mutex_);  // when both clocks were read last, by the steady one
  Timestamp time_ HOLDFAST_GUARDED_BY(mutex_);
  // `unused_` is the remainder of steady time, less than kSlew, of which no correction could be taken yet.
  Duration::rep unused_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  // The wall clock was this far ahead of the steady clock after the last step.
  Duration known_offset_ HOLDFAST_GUARDED_BY(mutex_){};
  Duration step_ HOLDFAST_GUARDED_BY(mutex_){};  // the step that take_step() has not returned yet
  std::uint64_t steps_ HOLDFAST_GUARDED_BY(mutex_) = 0;
};

}  // namespace holdfast
