// What one thread alone uses, such as the things of a loop, said so that the analysis of sync/thread_safety.h
// checks it, and so that a call on another thread is seen.
#pragma once

#include <atomic>
#include <thread>

#include "engine/base/helpers/check.h"
#include "engine/sync/thread_safety.h"

namespace holdfast::sync {

// A field that is HOLDFAST_GUARDED_BY(role), or a function that HOLDFAST_REQUIRES(role), is for the thread
// that has the role. Code that begins on that thread says so by assert_held().
class HOLDFAST_CAPABILITY("thread") ThreadRole {
 public:
  ThreadRole() = default;
  ThreadRole(const ThreadRole&) = delete;
  ThreadRole& operator=(const ThreadRole&) = delete;

  // The thread that says so first has the role from then on. Any other one stops the process.
  void assert_held() HOLDFAST_ASSERT_HELD(this) {
    std::thread::id holder;
    const bool is_first = holder_.compare_exchange_strong(holder, std::this_thread::get_id());
    HOLDFAST_CHECK(is_first || holder == std::this_thread::get_id(),
                   "what one thread alone uses is used by that thread");
  }

 private:
  std::atomic<std::thread::id> holder_;  // of no thread at first
};

}  // namespace holdfast::sync
