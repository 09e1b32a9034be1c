// An Unlocked is a scope without a lock, within a function that requires the lock.
#pragma once

#include "engine/sync/mutex.h"

namespace holdfast::sync {

// Lets go of a mutex that the calling thread holds, and takes it again at the end of its scope.
class HOLDFAST_SCOPED_CAPABILITY Unlocked {
 public:
  explicit Unlocked(Mutex& mutex) HOLDFAST_RELEASE(mutex) : mutex_(mutex) { mutex.unlock(); }
  ~Unlocked() HOLDFAST_RELEASE() { mutex_.lock(); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace holdfast::sync
