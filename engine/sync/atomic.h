// A value that orders threads is a sync::Atomic, with the turns of sync/interleaver.h. Counters that order
// nothing stay std::atomic. Tests explore interleavings as if memory were sequentially consistent; the thread
// sanitizer checks whether the memory orders that the code names suffice.
#pragma once

#include <atomic>

#include "engine/sync/interleaver.h"

namespace holdfast::sync {

template <typename T>
class Atomic {
 public:
  constexpr Atomic() = default;
  constexpr Atomic(T value) : native_(value) {}  // NOLINT(google-explicit-constructor): as std::atomic
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  T load(std::memory_order order = std::memory_order_seq_cst) const {
    pause();
    return native_.load(order);
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) {
    pause();
    native_.store(value, order);
  }
  operator T() const { return load(); }  // NOLINT(google-explicit-constructor): as std::atomic
  T operator=(T value) {
    store(value);
    return value;
  }
  T exchange(T value, std::memory_order order = std::memory_order_seq_cst) {
    pause();
    return native_.exchange(value, order);
  }
  T fetch_add(T value, std::memory_order order = std::memory_order_seq_cst) {
    pause();
    return native_.fetch_add(value, order);
  }

  // Blocks while the value is `old`. Another thread must change the value and then notify.
  void wait(T old, std::memory_order order = std::memory_order_seq_cst) const {
    if (interleaver == nullptr) return native_.wait(old, order);
    interleaver->pause();
    while (native_.load(order) == old) interleaver->block(this, false);
  }
  void notify_one() {
    native_.notify_one();
    if (interleaver != nullptr) interleaver->wake(this, false);
  }
  void notify_all() {
    native_.notify_all();
    if (interleaver != nullptr) interleaver->wake(this, true);
  }

 private:
  std::atomic<T> native_{};
};

}  // namespace holdfast::sync
