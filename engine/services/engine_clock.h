// The engine's time. It is a time of day, but passes by the steady clock: where the wall clock says something
// else, because it was set, it is followed by going a little faster or slower. So a step of the wall clock
// changes no duration by more than a twentieth, and the time of day is right again after 21 times the step.
//
// Deadlines on disk lie on a line of their own, stored time, that never goes back, also over openings: where
// the wall clock is behind what the directory has seen, stored time begins at that, and the distance to the
// engine's time stays the same until the directory is opened again. So what was stored ends no later than its
// own length after the opening, whatever the clock said when it was stored.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "engine/sync/mutex.h"
#include "holdfast/time.h"

namespace holdfast {

class EngineClock {
 public:
  // The engine's time is the wall clock's now.
  explicit EngineClock(const Clock& clock);

  // Opening, before anybody else asks: the latest stored time that the directory has seen.
  void begin_after(Timestamp latest);

  // Never runs backwards. From any thread.
  Timestamp now();
  // What the wall clock says. Times that people give are compared with this.
  Timestamp wall() const { return clock_.now(); }
  // When, in the engine's time, the wall clock will say this, should neither be set; and what the
  // wall clock will say at a time of the engine.
  Timestamp of_wall(Timestamp wall_time);
  Timestamp to_wall(Timestamp time);

  // The stored time that is the engine's `time`, and back. max(), which stands for never, stays so.
  Timestamp stored(Timestamp time) const { return shifted(time, ahead_); }
  Timestamp loaded(Timestamp stored_time) const { return shifted(stored_time, -ahead_); }
  Timestamp stored_now() { return stored(now()); }
  // How far stored time is ahead of the engine's.
  Duration ahead() const { return ahead_; }

  // The wall clock was set by so much, since this was last asked; steps of less than kStep add up.
  std::optional<Duration> take_step();
  struct Deviation {
    std::uint64_t steps = 0;  // that take_step() gave
    Duration left{};          // wall clock less the engine's time
  };
  Deviation deviation();

  // A change of the wall clock that is a step.
  static constexpr Duration kStep = std::chrono::seconds(1);

 private:
  struct Reading {
    Duration steady{};
    Timestamp wall{};
    Duration offset() const { return wall.time_since_epoch() - steady; }
  };
  Reading read() const;
  void look() HOLDFAST_REQUIRES(mutex_);
  static Timestamp shifted(Timestamp time, Duration by) {
    return time == Timestamp::max() ? time : time + by;
  }

  // A duration of d by this time takes d/(1 + 1/21) to d/(1 - 1/21) by the steady clock: 95.5 % to 105 %.
  static constexpr Duration::rep kSlew = 21;

  const Clock& clock_;
  Duration ahead_{};  // fixed after the opening

  sync::Mutex mutex_;
  Reading last_ HOLDFAST_GUARDED_BY(mutex_);
  Timestamp time_ HOLDFAST_GUARDED_BY(mutex_);
  // Steady time from which no correction could be taken yet, less than kSlew.
  Duration::rep unused_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  // The offset of the wall clock to the steady one, as of the last step.
  Duration known_offset_ HOLDFAST_GUARDED_BY(mutex_){};
  Duration step_ HOLDFAST_GUARDED_BY(mutex_){};  // not taken yet
  std::uint64_t steps_ HOLDFAST_GUARDED_BY(mutex_) = 0;
};

}  // namespace holdfast
