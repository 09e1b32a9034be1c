// Canaries that go with all else in a queue that is purged or deleted: no outcome comes of them any more, so
// that their tasks would wait for ever.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/context/context.h"
#include "engine/sync/mutex.h"

namespace holdfast {

class LostCanaries {
 public:
  // Those that were brought to the queue. Some may have left it by an ack or a death: their outcome counts.
  // Until this object is gone no task brings canaries anywhere, since those of a step between this and the
  // purge would be overlooked. Without a Pass: it reads, and waits for steps under way.
  LostCanaries(EngineContext& engine, QueueId queue);

  // With the open group, as the purge: a crash keeps both or neither.
  void join(CommitPipeline& pipeline) const HOLDFAST_REQUIRES_SHARED(pipeline.gate());
  // That group is committed.
  void committed();

 private:
  struct Held {
    std::shared_ptr<RedriveJob> job;
    std::unique_lock<sync::Mutex> step;
    std::optional<RedriveTask> changed = {};  // if the task loses some
  };
  std::unique_lock<sync::Mutex> no_new_tasks_;
  std::vector<Held> held_;
};

}  // namespace holdfast
