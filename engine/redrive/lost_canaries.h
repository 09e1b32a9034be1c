// Canaries are lost when a queue is purged or deleted. No outcome comes of them any more, so without this
// their tasks would wait for ever.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/context/context.h"
#include "engine/sync/mutex.h"

namespace holdfast {

class HOLDFAST_SCOPED_CAPABILITY LostCanaries {
 public:
  // Finds the canaries that were brought to the queue. If some of them have left it by an ack or a death,
  // that outcome counts. As long as the object lives, no task brings canaries anywhere, since those of a step
  // between this look and the purge would be overlooked. The function reads, and waits for steps in progress.
  LostCanaries(EngineContext& engine, QueueId queue) HOLDFAST_ACQUIRE(engine.tasks.adding_mutex)
      HOLDFAST_EXCLUDES(inside_gate);
  ~LostCanaries() HOLDFAST_RELEASE() = default;
  LostCanaries(const LostCanaries&) = delete;
  LostCanaries& operator=(const LostCanaries&) = delete;

  // Writes the losses with the open group, which is that of the purge. So a crash keeps both or neither.
  void join(CommitPipeline& pipeline) const HOLDFAST_REQUIRES_SHARED(pipeline.gate());
  // Says that this group is committed.
  void committed();

 private:
  // A sync::Lock cannot move with what holds it, and the analysis would not see one in a container either. So
  // the mutex of a step checks when the code runs that it is held.
  struct Held {
    std::shared_ptr<RedriveJob> job;
    std::unique_lock<sync::Mutex> step;
    std::optional<RedriveTask> changed = {};  // set if the task loses canaries
  };
  sync::Lock no_new_tasks_;
  std::vector<Held> held_;
};

}  // namespace holdfast
