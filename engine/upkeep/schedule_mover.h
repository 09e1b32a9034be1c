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

  // Messages of the window that wait for long leave it, a bounded number of them. Gives the last group, if
  // any left.
  std::optional<GroupNumber> spill_waiting(const std::shared_ptr<Queue>& queue);
  // Messages on their way to the tail get there, or into `scheduled` until they are due. Gives the last
  // group, if any moved.
  std::optional<GroupNumber> return_to_tail(const std::shared_ptr<Queue>& queue);
  // Messages of `scheduled` that are due enter the log, a bounded number of them.
  Result<void> enter_due(const std::shared_ptr<Queue>& queue);
  // While the wall clock and the engine's time differ, what waits for a time of day comes earlier or later
  // than the scheduler was told. Gives when to look again.
  Timestamp follow_wall_clock(Timestamp time);

 private:
  EngineContext& engine_;
  Dispatcher& dispatcher_;
};

}  // namespace holdfast
