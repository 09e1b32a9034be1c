// std::mutex and std::shared_mutex, with the turns of sync/interleaver.h, and the locks that hold them. The
// analysis of sync/thread_safety.h knows all of them. Where it cannot follow which thread holds a mutex, the
// mutex itself checks that when the program runs, in every build.
#pragma once

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "engine/base/helpers/check.h"
#include "engine/sync/interleaver.h"
#include "engine/sync/thread_safety.h"

namespace holdfast::sync {

class HOLDFAST_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() HOLDFAST_ACQUIRE() {
    if (interleaver == nullptr) [[likely]] {
      native_.lock();
    } else {
      lock_in_turn();
    }
    note_holder();
  }
  bool try_lock() HOLDFAST_TRY_ACQUIRE(true) {
    pause();
    if (!native_.try_lock()) return false;
    note_holder();
    return true;
  }
  void unlock() HOLDFAST_RELEASE() {
    forget_holder();
    native_.unlock();
    if (interleaver != nullptr) [[unlikely]]
      wake_blocked();
  }
  // Tells the analysis that the calling thread holds the mutex where the analysis cannot follow it. A call by
  // a thread that does not hold it stops the process.
  void assert_held() const HOLDFAST_ASSERT_HELD(this) {
    HOLDFAST_CHECK(holder_.load(std::memory_order_relaxed) == std::this_thread::get_id(),
                   "the calling thread holds the mutex");
  }
  // Tells the analysis that what the mutex guards may be used although the mutex is not held, since no other
  // thread can get at it. The caller says why.
  void assume_held() const HOLDFAST_ASSERT_HELD(this) {}

 private:
  friend class ConditionVariable;

  // A thread only ever compares the holder with itself. Its own last store is what it then finds, or that of
  // another thread, which is not equal in any order of memory; so the order may be relaxed.
  void note_holder() { holder_.store(std::this_thread::get_id(), std::memory_order_relaxed); }
  void forget_holder() { holder_.store(std::thread::id(), std::memory_order_relaxed); }

  // The parts for an interleaver are kept out of line, so that the compiler puts lock() and unlock() into
  // their callers: a message that is sent, received and acknowledged alone makes an engine lock some forty.
  [[gnu::noinline, gnu::cold]] void lock_in_turn() {
    interleaver->pause();
    while (!native_.try_lock()) interleaver->block(this, false);
  }
  [[gnu::noinline, gnu::cold]] void wake_blocked() { interleaver->wake(this, true); }

  std::mutex native_;
  std::atomic<std::thread::id> holder_;  // no thread at first
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
