// Retention: what is replayed, abandoned or unresolved for long enough is archived and goes.
#pragma once

#include <memory>
#include <string>

#include "engine/context/context.h"
#include "engine/dispatch/dispatcher.h"

namespace holdfast {

class Retention {
 public:
  Retention(EngineContext& engine, Dispatcher& dispatcher) : engine_(engine), dispatcher_(dispatcher) {}

  // If it is time to, archives and deletes what the queue keeps no longer, a bounded number, and has the
  // scheduler look again: at once if there may be more, else when the next is due. In the background on a
  // thread of its own: whatever the archive waits for, nothing else does.
  void retain(const std::shared_ptr<Queue>& queue);
  // Looks up when the queue's next dead letter is kept no longer, and has the scheduler look then. To be
  // called after a change of what is kept, or for how long. The change has happened, so what cannot be read
  // is read later.
  void plan(const std::shared_ptr<Queue>& queue);
  // A record of the queue will be kept no longer from `due` on.
  void expect(Queue& queue, Timestamp due) HOLDFAST_REQUIRES(queue.mutex);
  // A dead letter that came to the queue at `time` will be kept for as long as its options say.
  void expect_unresolved(Queue& queue, Timestamp time) HOLDFAST_REQUIRES(queue.mutex);
  // What a valid receipt names is done. Of a dead letter the record stays as history, for which `actor` did
  // it; its consumer if that is empty.
  void ack(Queue& queue, Seq seq, Timestamp time, const std::string& actor) HOLDFAST_REQUIRES(queue.mutex);

 private:
  void retain_some(const std::shared_ptr<Queue>& queue, Timestamp time);
  // False: nothing went. The archive is safe before anything is deleted.
  Result<bool> retain_step(const std::shared_ptr<Queue>& queue, Timestamp time);
  // When the first of the queue's records is kept no longer, or when to look again.
  Result<Timestamp> first_due(Queue& queue);

  EngineContext& engine_;
  Dispatcher& dispatcher_;
};

}  // namespace holdfast
