// std::mutex and std::shared_mutex, with the turns of sync/interleaver.h. To be used with std::unique_lock,
// std::shared_lock and std::scoped_lock.
#pragma once

#include <mutex>
#include <shared_mutex>

#include "engine/sync/interleaver.h"

namespace holdfast::sync {

class Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() {
    if (interleaver == nullptr) return native_.lock();
    interleaver->pause();
    while (!native_.try_lock()) interleaver->block(this, false);
  }
  bool try_lock() {
    pause();
    return native_.try_lock();
  }
  void unlock() {
    native_.unlock();
    if (interleaver != nullptr) interleaver->wake(this, true);
  }

 private:
  friend class ConditionVariable;
  std::mutex native_;
};

class SharedMutex {
 public:
  SharedMutex() = default;
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  void lock() {
    if (interleaver == nullptr) return native_.lock();
    interleaver->pause();
    while (!native_.try_lock()) interleaver->block(this, false);
  }
  bool try_lock() {
    pause();
    return native_.try_lock();
  }
  void unlock() {
    native_.unlock();
    if (interleaver != nullptr) interleaver->wake(this, true);
  }
  void lock_shared() {
    if (interleaver == nullptr) return native_.lock_shared();
    interleaver->pause();
    while (!native_.try_lock_shared()) interleaver->block(this, false);
  }
  bool try_lock_shared() {
    pause();
    return native_.try_lock_shared();
  }
  void unlock_shared() {
    native_.unlock_shared();
    if (interleaver != nullptr) interleaver->wake(this, true);
  }

 private:
  std::shared_mutex native_;
};

}  // namespace holdfast::sync
