// A thread for what a call with a callback must not do on its caller's: read from disk, or wait.
#pragma once

#include <deque>
#include <functional>

#include "sync/condition_variable.h"
#include "sync/mutex.h"
#include "sync/thread.h"

namespace holdfast {

class BackgroundThread {
 public:
  BackgroundThread() = default;
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;
  ~BackgroundThread() { stop(); }

  // In the order of the calls. The first call starts the thread. After stop() on the caller's, at once.
  void post(std::function<void()> work);
  // Nothing that was posted is still to be done.
  bool idle() const;
  // Does what was posted and ends the thread.
  void stop();

 private:
  void run();

  mutable sync::Mutex mutex_;
  sync::ConditionVariable wake_;
  std::deque<std::function<void()>> work_;
  bool working_ = false;
  bool stopping_ = false;
  sync::Thread thread_;
};

}  // namespace holdfast
