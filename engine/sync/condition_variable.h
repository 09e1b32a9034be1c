// std::condition_variable over a sync::Mutex, with the turns of sync/interleaver.h.
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

  void wait(std::unique_lock<Mutex>& lock) {
    if (interleaver != nullptr) return wait_for_turn(lock, false);
    Adopted adopted(lock);
    native_.wait(adopted.native);
  }
  template <typename Predicate>
  void wait(std::unique_lock<Mutex>& lock, Predicate is_met) {
    while (!is_met()) wait(lock);
  }
  // False: the time is over and the predicate is not met. Under an interleaver the time is over once no other
  // thread can go on.
  template <typename Rep, typename Period, typename Predicate>
  bool wait_for(std::unique_lock<Mutex>& lock, std::chrono::duration<Rep, Period> at_most, Predicate is_met) {
    if (interleaver != nullptr) {
      if (!is_met()) wait_for_turn(lock, true);
      return is_met();
    }
    Adopted adopted(lock);
    return native_.wait_for(adopted.native, at_most, is_met);
  }

 private:
  // The native lock of a mutex that the caller holds, and goes on holding afterwards.
  struct Adopted {
    explicit Adopted(std::unique_lock<Mutex>& lock) : native(lock.mutex()->native_, std::adopt_lock) {}
    ~Adopted() { native.release(); }
    Adopted(const Adopted&) = delete;
    Adopted& operator=(const Adopted&) = delete;
    std::unique_lock<std::mutex> native;
  };

  // No other thread has a turn between the unlocking and the blocking, so no notification is missed.
  void wait_for_turn(std::unique_lock<Mutex>& lock, bool may_time_out) {
    lock.unlock();
    interleaver->block(this, may_time_out);
    lock.lock();
  }

  std::condition_variable native_;
};

}  // namespace holdfast::sync
