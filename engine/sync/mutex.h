// std::mutex and std::shared_mutex, with the turns of sync/interleaver.h, and the locks that hold them. The
// analysis of sync/thread_safety.h knows all of them.
#pragma once

#include <mutex>
#include <shared_mutex>

#include "engine/sync/interleaver.h"
#include "engine/sync/thread_safety.h"

namespace holdfast::sync {

class HOLDFAST_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() HOLDFAST_ACQUIRE() {
    if (interleaver == nullptr) return native_.lock();
    interleaver->pause();
    while (!native_.try_lock()) interleaver->block(this, false);
  }
  bool try_lock() HOLDFAST_TRY_ACQUIRE(true) {
    pause();
    return native_.try_lock();
  }
  void unlock() HOLDFAST_RELEASE() {
    native_.unlock();
    if (interleaver != nullptr) interleaver->wake(this, true);
  }
  // Tells the analysis that the calling thread holds the mutex where the analysis cannot follow it.
  void assert_held() const HOLDFAST_ASSERT_HELD(this) {}

 private:
  friend class ConditionVariable;
  std::mutex native_;
};

class HOLDFAST_CAPABILITY("shared mutex") SharedMutex {
 public:
  SharedMutex() = default;
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  void lock() HOLDFAST_ACQUIRE() {
    if (interleaver == nullptr) return native_.lock();
    interleaver->pause();
    while (!native_.try_lock()) interleaver->block(this, false);
  }
  bool try_lock() HOLDFAST_TRY_ACQUIRE(true) {
    pause();
    return native_.try_lock();
  }
  void unlock() HOLDFAST_RELEASE() {
    native_.unlock();
    if (interleaver != nullptr) interleaver->wake(this, true);
  }
  void lock_shared() HOLDFAST_ACQUIRE_SHARED() {
    if (interleaver == nullptr) return native_.lock_shared();
    interleaver->pause();
    while (!native_.try_lock_shared()) interleaver->block(this, false);
  }
  bool try_lock_shared() HOLDFAST_TRY_ACQUIRE_SHARED(true) {
    pause();
    return native_.try_lock_shared();
  }
  void unlock_shared() HOLDFAST_RELEASE_SHARED() {
    native_.unlock_shared();
    if (interleaver != nullptr) interleaver->wake(this, true);
  }

 private:
  std::shared_mutex native_;
};

// Holds a mutex until the end of its scope or until unlock().
template <class Locked>
class HOLDFAST_SCOPED_CAPABILITY BasicLock {
 public:
  explicit BasicLock(Locked& mutex) HOLDFAST_ACQUIRE(mutex) : mutex_(mutex), holds_(true) { mutex.lock(); }
  ~BasicLock() HOLDFAST_RELEASE() {
    if (holds_) mutex_.unlock();
  }
  BasicLock(const BasicLock&) = delete;
  BasicLock& operator=(const BasicLock&) = delete;

  void lock() HOLDFAST_ACQUIRE() {
    mutex_.lock();
    holds_ = true;
  }
  void unlock() HOLDFAST_RELEASE() {
    holds_ = false;
    mutex_.unlock();
  }

 private:
  friend class ConditionVariable;
  Locked& mutex_;
  bool holds_;
};

using Lock = BasicLock<Mutex>;
using ExclusiveLock = BasicLock<SharedMutex>;

// Holds a shared mutex together with other holders.
class HOLDFAST_SCOPED_CAPABILITY SharedLock {
 public:
  explicit SharedLock(SharedMutex& mutex) HOLDFAST_ACQUIRE_SHARED(mutex) : mutex_(mutex) {
    mutex.lock_shared();
  }
  ~SharedLock() HOLDFAST_RELEASE_GENERIC() { mutex_.unlock_shared(); }
  SharedLock(const SharedLock&) = delete;
  SharedLock& operator=(const SharedLock&) = delete;

 private:
  SharedMutex& mutex_;
};

}  // namespace holdfast::sync
