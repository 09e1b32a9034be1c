// A ConditionVariable is a std::condition_variable over a sync::Mutex, with the turns of sync/interleaver.h.
// A wait may end without a notification, so it belongs in a loop: `while (!is_so()) changed.wait(lock);`.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "engine/sync/mutex.h"

namespace holdfast::sync {

class ConditionVariable {
 public:
  void notify_one() {
    native_.notify_one();
    if (interleaver != nullptr) interleaver->wake(this, false);
  }
  void notify_all() {
    native_.notify_all();
    if (interleaver != nullptr) interleaver->wake(this, true);
  }

  // Waits for a notification. The lock is held before and afterwards.
  void wait(Lock& lock) {
    if (interleaver != nullptr) {
      wait_for_turn(lock.mutex_, false);
      return;
    }
    Adopted adopted(lock.mutex_);
    native_.wait(adopted.native);
  }
  // Returns false when the time is over. Under an interleaver it is over once no other thread can go on.
  bool wait_until(Lock& lock, std::chrono::steady_clock::time_point time) {
    if (interleaver != nullptr) return wait_for_turn(lock.mutex_, true);
    Adopted adopted(lock.mutex_);
    return native_.wait_until(adopted.native, time) == std::cv_status::no_timeout;
  }

 private:
  // Adopts the native lock of a mutex that the caller holds, and leaves it held. While it waits, nobody holds
  // the mutex, or another thread does.
  struct Adopted {
    explicit Adopted(Mutex& held) : mutex(held), native(held.native_, std::adopt_lock) {
      mutex.forget_holder();
    }
    ~Adopted() {
      native.release();
      mutex.note_holder();
    }
    Adopted(const Adopted&) = delete;
    Adopted& operator=(const Adopted&) = delete;
    Mutex& mutex;
    std::unique_lock<std::mutex> native;
  };

  // No other thread has a turn between the unlocking and the blocking, so this thread misses no notification.
  bool wait_for_turn(Mutex& mutex, bool may_time_out) HOLDFAST_NOT_ANALYSED {
    mutex.unlock();
    const bool woken = interleaver->block(this, may_time_out);
    mutex.lock();
    return woken;
  }

  std::condition_variable native_;
};

}  // namespace holdfast::sync
