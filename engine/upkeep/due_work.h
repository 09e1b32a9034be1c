// DueWork does what falls due, by itself or because time has passed.
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
  // These services do the work.
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

  // Does a bounded amount of what is due. Returns when it must be called next, in the engine's time.
  Timestamp run_due() HOLDFAST_EXCLUDES(inside_gate);

 private:
  // look_after() does what is due for one queue. It sets `last` to the group of the changes that must be
  // committed, if there are any.
  void look_after(const std::shared_ptr<Queue>& queue, Timestamp time, std::optional<GroupNumber>& last)
      HOLDFAST_EXCLUDES(inside_gate);
  // Ends leases and waits, and forgets what the queue remembers only for a time. Sets `last` to the group of
  // the changes that must be committed, if there are any. Returns false if the queue was deleted.
  bool end_leases(const std::shared_ptr<Queue>& queue, std::optional<GroupNumber>& last)
      HOLDFAST_EXCLUDES(inside_gate);
  // Tells of a step of the wall clock. Returns the group of the event, or nothing if there was no step.
  std::optional<GroupNumber> tell_step(Timestamp time) HOLDFAST_EXCLUDES(inside_gate);

  EngineContext& engine_;
  const Services services_;
};

}  // namespace holdfast
