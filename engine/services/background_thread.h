// A thread for what a call with a callback must not do on its caller's: read from disk, or wait.
#pragma once

#include <atomic>
#include <deque>
#include <functional>

#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"
#include "engine/sync/thread.h"

namespace holdfast {

class BackgroundThread {
 public:
  BackgroundThread() = default;
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;
  ~BackgroundThread() { stop(); }

  // In the order of the calls. The first call starts the thread. If none can be had, what was posted waits
  // for the next post() or look_again(). After stop() on the caller's, at once.
  void post(std::function<void()> work);
  // To be called now and then: starts the thread if none could be had for what was posted.
  void look_again();
  // Nothing that was posted is still to be done.
  bool idle() const;
  // Does what was posted, on this thread if there is no other, and ends the thread.
  void stop();

 private:
  void start_thread() HOLDFAST_REQUIRES(mutex_);
  void run();

  mutable sync::Mutex mutex_;
  sync::ConditionVariable wake_;
  std::deque<std::function<void()>> work_ HOLDFAST_GUARDED_BY(mutex_);
  bool working_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::atomic<bool> starved_ = false;  // there is work, and no thread was to be had for it
  sync::Thread thread_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast
