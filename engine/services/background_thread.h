// The background thread does work that a call with a callback must not do on its caller's thread: it reads
// from disk, or waits.
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

  // Does the work later, in the order of the calls. The first call starts the thread. If the system gives
  // none, the work waits for the next post() or look_again(). After stop(), post() does the work at once, on
  // the caller's thread.
  void post(std::function<void()> work);
  // Starts the thread if none could be had for work that was posted. The owner calls it now and then.
  void look_again();
  // Returns whether all work that was posted is done.
  bool idle() const;
  // Does what is left of the work, on the caller's thread if there is no other, and ends the thread.
  void stop();

 private:
  void start_thread() HOLDFAST_REQUIRES(mutex_);
  void run();

  mutable sync::Mutex mutex_;
  sync::ConditionVariable wake_;
  std::deque<std::function<void()>> work_ HOLDFAST_GUARDED_BY(mutex_);
  bool working_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::atomic<bool> starved_ = false;  // there is work, and the system gave no thread for it
  sync::Thread thread_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast
