// The dispatcher does what follows from a change of a queue: waiting receives get messages, rules about the
// queue's depth are judged, and the scheduler hears when to look at the queue again.
#pragma once

#include <cstddef>
#include <memory>

#include "engine/context/context.h"
#include "engine/dispatch/alert_teller.h"

namespace holdfast {

class Dispatcher {
 public:
  Dispatcher(EngineContext& engine, AlertTeller& alerts) : engine_(engine), alerts_(alerts) {}

  // Fills the batch up to `max` messages, within its budget.
  void grant(const std::shared_ptr<Queue>& queue, std::size_t max, LeasedBatch& batch)
      HOLDFAST_REQUIRES(queue->mutex) HOLDFAST_REQUIRES_SHARED(inside_gate);
  // Does what follows from a change. It is called after messages became ready, or timers changed.
  void after_change(const std::shared_ptr<Queue>& queue, Timestamp time) HOLDFAST_REQUIRES(queue->mutex)
      HOLDFAST_REQUIRES_SHARED(inside_gate);
  // Reads the chunks that receives wait for, since after_change() may not read.
  void load_for_waiters(const std::shared_ptr<Queue>& queue) HOLDFAST_EXCLUDES(inside_gate);
  // Ends the waits whose deadline is `deadline` or earlier: with an empty batch, or with an error if the
  // queue was deleted.
  static void end_waits(Queue& queue, Timestamp deadline) HOLDFAST_REQUIRES(queue.mutex);
  // Ends the waits of all queues with the error of a failed write, after which no message comes.
  void fail_waits(const Error& error) HOLDFAST_EXCLUDES(inside_gate);

 private:
  EngineContext& engine_;
  AlertTeller& alerts_;
};

}  // namespace holdfast
