// What falls due, by itself or because time has passed: one look at all of it.
#pragma once

#include <memory>
#include <optional>

#include "engine/context/context.h"
#include "engine/dead_letters/dead_letter_mover.h"
#include "engine/dead_letters/retention.h"
#include "engine/dispatch/dispatcher.h"
#include "engine/redrive/task_stepper.h"
#include "engine/upkeep/chunk_compactor.h"
#include "engine/upkeep/expirer.h"
#include "engine/upkeep/policy_runner.h"
#include "engine/upkeep/schedule_mover.h"

namespace holdfast {

class DueWork {
 public:
  // The services that do it.
  struct Services {
    Dispatcher& dispatcher;
    Retention& retention;
    DeadLetterMover& mover;
    TaskStepper& task_stepper;
    Expirer& expirer;
    ScheduleMover& schedule_mover;
    ChunkCompactor& compactor;
    PolicyRunner& policies;
  };
  DueWork(EngineContext& engine, const Services& services) : engine_(engine), services_(services) {}

  // Does what is due, a bounded amount of it. Gives when it next wants to be called, in the engine's time.
  Timestamp run_due();

 private:
  // These set `last` to the group of what they changed, if that is to be committed.
  void look_after(const std::shared_ptr<Queue>& queue, Timestamp time, std::optional<GroupNumber>& last);
  // Ends leases, waits, and what the queue remembers for a time. False if the queue was deleted.
  bool end_leases(const std::shared_ptr<Queue>& queue, Timestamp time, std::optional<GroupNumber>& last);
  // Tells of a step of the wall clock. Gives the group of the event.
  std::optional<GroupNumber> tell_step(Timestamp time);

  EngineContext& engine_;
  const Services services_;
};

}  // namespace holdfast
