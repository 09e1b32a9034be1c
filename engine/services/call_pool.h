// The pool runs calls with a callback that may block. A few run at a time, on threads that start as they are
// needed. The others wait for their turn.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"
#include "engine/sync/thread.h"
#include "holdfast/error.h"

namespace holdfast {

class CallPool {
 public:
  CallPool() = default;
  CallPool(const CallPool&) = delete;
  CallPool& operator=(const CallPool&) = delete;
  ~CallPool() { stop(); }

  // The pool calls it once. `begins` is an error if the call must not be made. `cancelled` becomes true when
  // the caller no longer wants the result.
  using Work = std::function<void(const Result<void>& begins, const std::atomic<bool>& cancelled)>;
  // Begins calls in the order in which they were posted, and returns the number of this one. A call is
  // refused, on the caller's thread, with kOverloaded if limits::kWaitingCalls wait already or there is no
  // thread and the system gives none, and with kClosed after stop().
  std::uint64_t post(Work work);
  // Cancels a call. If the call still waits, it gets kCancelled on this thread.
  void cancel(std::uint64_t number);
  // Waits for the calls that run. Those that still wait get kClosed.
  void stop();

 private:
  struct Call {
    Work work;
    std::atomic<bool> cancelled = false;
  };
  using Calls = std::map<std::uint64_t, std::shared_ptr<Call>>;
  static constexpr std::size_t kThreads = 4;

  Result<void> add_thread() HOLDFAST_REQUIRES(mutex_);
  void run();

  sync::Mutex mutex_;
  sync::ConditionVariable wake_;
  Calls waiting_ HOLDFAST_GUARDED_BY(mutex_);
  Calls running_ HOLDFAST_GUARDED_BY(mutex_);
  std::uint64_t last_number_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  std::size_t idle_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::vector<sync::Thread> threads_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast
