// Moves messages that wait for a time between the log and `scheduled`, in bounded steps.
#pragma once

#include <memory>
#include <optional>

#include "engine/context/context.h"
#include "engine/dispatch/dispatcher.h"

namespace holdfast {

class ScheduleMover {
 public:
  ScheduleMover(EngineContext& engine, Dispatcher& dispatcher) : engine_(engine), dispatcher_(dispatcher) {}

  // Moves messages of the window that wait for long to `scheduled`. Returns the last group, or nothing if no
  // message moved.
  std::optional<GroupNumber> spill_waiting(const std::shared_ptr<Queue>& queue)
      HOLDFAST_EXCLUDES(inside_gate);
  // Moves messages on their way to the tail there, or to `scheduled` if they are not due yet. Returns the
  // last group, or nothing if no message moved.
  std::optional<GroupNumber> return_to_tail(const std::shared_ptr<Queue>& queue)
      HOLDFAST_EXCLUDES(inside_gate);
  // Moves a bounded number of messages of `scheduled` that are due to the log.
  Result<void> enter_due(const std::shared_ptr<Queue>& queue)
      HOLDFAST_EXCLUDES(inside_gate, queue->schedule_mutex);
  // Tells the scheduler when messages that wait for a time of day are due, which changes while the wall clock
  // and the engine's time differ. Returns when it must be called again, or max() if the two agree.
  Timestamp follow_wall_clock(Timestamp time) HOLDFAST_EXCLUDES(inside_gate);

 private:
  EngineContext& engine_;
  Dispatcher& dispatcher_;
};

}  // namespace holdfast
