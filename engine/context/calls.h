// Each call in progress in an engine holds a lock of Calls, so that closing can wait for it.
#pragma once

#include <atomic>
#include <shared_mutex>
#include <utility>

#include "engine/commit/commit_pipeline.h"
#include "engine/sync/mutex.h"
#include "holdfast/error.h"

namespace holdfast {

class Calls {
 public:
  // `closing` is set before close() waits for the calls.
  Calls(const CommitPipeline& pipeline, const std::atomic<bool>& closing)
      : pipeline_(pipeline), closing_(closing) {}

  // A Call is held as long as a call lasts. close() waits for it.
  class Call {
   public:
    explicit Call(std::shared_lock<sync::SharedMutex> lock) : lock_(std::move(lock)) {}

   private:
    std::shared_lock<sync::SharedMutex> lock_;
  };
  // Begins a call. kClosed, kStorageFailed.
  Result<Call> begin();
  // Begins a call that only looks, which works after a failed write too. kClosed.
  Result<Call> keep_open();

  // Returns the mutex that close() holds exclusively while no call may be in progress.
  sync::SharedMutex& mutex() HOLDFAST_RETURNS_LOCK(mutex_) { return mutex_; }

 private:
  const CommitPipeline& pipeline_;
  const std::atomic<bool>& closing_;
  sync::SharedMutex mutex_;
};

}  // namespace holdfast
