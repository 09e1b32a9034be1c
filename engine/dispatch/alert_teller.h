// Alerts and the flood brake of queues: telling whoever listens, and braking.
#pragma once

#include <memory>
#include <vector>

#include "engine/context/context.h"

namespace holdfast {

class AlertTeller {
 public:
  explicit AlertTeller(EngineContext& engine) : engine_(engine) {}

  void tell(Queue& queue, const std::vector<AlertChange>& changes, Timestamp time)
      HOLDFAST_REQUIRES(queue.mutex);
  // Judges the rules that go by the number of dead letters.
  void judge_depth(Queue& queue, Timestamp time) HOLDFAST_REQUIRES(queue.mutex);
  // A message of the queue died: too many in a short time pull the brake.
  void note_death(Queue& source, DeathCause cause, Timestamp time) HOLDFAST_REQUIRES(source.mutex);
  // Ends the brake if its time is over or it is wanted no more.
  void end_brake(const std::shared_ptr<Queue>& queue, Timestamp time) HOLDFAST_REQUIRES(queue->mutex)
      HOLDFAST_REQUIRES_SHARED(inside_gate);

 private:
  EngineContext& engine_;
};

}  // namespace holdfast
