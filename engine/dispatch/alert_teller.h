// Tells listeners of the alerts of queues, and pulls the flood brake.
#pragma once

#include <memory>
#include <vector>

#include "engine/context/context.h"

namespace holdfast {

class AlertTeller {
 public:
  explicit AlertTeller(EngineContext& engine) : engine_(engine) {}

  void tell(Queue& queue, const std::vector<AlertChange>& changes, Timestamp time)
      HOLDFAST_REQUIRES(queue.mutex) HOLDFAST_REQUIRES_SHARED(inside_gate);
  // Judges the rules that depend on the number of dead letters.
  void judge_depth(const std::shared_ptr<Queue>& queue, Timestamp time) HOLDFAST_REQUIRES(queue->mutex)
      HOLDFAST_REQUIRES_SHARED(inside_gate);
  // Notes that a message of the queue died. Too many deaths in a short time pull the brake.
  void note_death(Queue& source, DeathCause cause, Timestamp time) HOLDFAST_REQUIRES(source.mutex)
      HOLDFAST_REQUIRES_SHARED(inside_gate);
  // Ends the brake if its time is over or the options no longer want it.
  void end_brake(const std::shared_ptr<Queue>& queue, Timestamp time) HOLDFAST_REQUIRES(queue->mutex)
      HOLDFAST_REQUIRES_SHARED(inside_gate);

 private:
  EngineContext& engine_;
};

}  // namespace holdfast
