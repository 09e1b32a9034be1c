// Retention archives and removes dead letters that have been replayed, abandoned or unresolved for long
// enough.
#pragma once

#include <memory>
#include <string>

#include "engine/context/context.h"
#include "engine/dispatch/dispatcher.h"

namespace holdfast {

class Retention {
 public:
  Retention(EngineContext& engine, Dispatcher& dispatcher) : engine_(engine), dispatcher_(dispatcher) {}

  // Archives and deletes a bounded number of the dead letters that the queue keeps no longer, if their time
  // has come. The scheduler then looks again: at once if there may be more, and otherwise when the next one
  // is due. In the background, retention has a thread of its own, so nothing else waits when it waits for the
  // archive.
  void retain(const std::shared_ptr<Queue>& queue) HOLDFAST_EXCLUDES(inside_gate, queue->records_mutex);
  // Finds out when the queue's next dead letter is kept no longer, and has the scheduler look then. It is
  // called after a change of what is kept, or for how long. That change has happened already, so what cannot
  // be read now is read later.
  void plan(const std::shared_ptr<Queue>& queue) HOLDFAST_EXCLUDES(inside_gate);
  // Says that a record of the queue is kept no longer from `due` on.
  void expect(Queue& queue, Timestamp due) HOLDFAST_REQUIRES(queue.mutex);
  // Says that a dead letter came to the queue at `time`, which is kept for as long as the queue's options
  // say.
  void expect_unresolved(Queue& queue, Timestamp time) HOLDFAST_REQUIRES(queue.mutex);
  // Makes the message of a valid receipt done. If it is a dead letter, its record stays as history, and names
  // `actor`, or the consumer if that is empty.
  void ack(Queue& queue, Seq seq, Timestamp time, const std::string& actor) HOLDFAST_REQUIRES(queue.mutex);

 private:
  void retain_some(const std::shared_ptr<Queue>& queue, Timestamp time)
      HOLDFAST_EXCLUDES(inside_gate, queue->records_mutex);
  // Does one step. The archive is safe before anything is deleted. Returns whether another step may find
  // more: a record was removed, or a walk is not at its end.
  Result<bool> retain_step(const std::shared_ptr<Queue>& queue, Timestamp time)
      HOLDFAST_EXCLUDES(inside_gate, queue->records_mutex);
  // Returns when the first of the queue's records is kept no longer, or when to look again.
  Result<Timestamp> first_due(Queue& queue) HOLDFAST_EXCLUDES(inside_gate);

  EngineContext& engine_;
  Dispatcher& dispatcher_;
};

}  // namespace holdfast
