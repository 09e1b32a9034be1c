// What follows from a change of a queue: receives that wait get messages, rules about its depth are judged,
// and the scheduler hears when to look at the queue again.
#pragma once

#include <cstddef>
#include <memory>

#include "engine/context/context.h"
#include "engine/dispatch/alert_teller.h"

namespace holdfast {

class Dispatcher {
 public:
  Dispatcher(EngineContext& engine, AlertTeller& alerts) : engine_(engine), alerts_(alerts) {}

  // Fills the batch up to `max`, within its budget.
  void grant(const std::shared_ptr<Queue>& queue, std::size_t max, LeasedBatch& batch)
      HOLDFAST_REQUIRES(queue->mutex) HOLDFAST_REQUIRES_SHARED(inside_gate);
  // To be called after messages became ready, or timers changed.
  void after_change(const std::shared_ptr<Queue>& queue, Timestamp time) HOLDFAST_REQUIRES(queue->mutex)
      HOLDFAST_REQUIRES_SHARED(inside_gate);
  // Reads the chunks that receives wait for, which after_change() may not do.
  void load_for_waiters(const std::shared_ptr<Queue>& queue);
  // Ends the waits whose deadline has come: with an empty batch, or with an error if the queue was deleted.
  static void end_waits(Queue& queue, Timestamp deadline) HOLDFAST_REQUIRES(queue.mutex);
  // Ends the waits of all queues after a write failed: there will be no message for them.
  void fail_waits(const Error& error);

 private:
  EngineContext& engine_;
  AlertTeller& alerts_;
};

}  // namespace holdfast
