// Marks what one thread alone uses, such as the fields of a loop. The analysis of sync/thread_safety.h checks
// it, and a call on another thread stops the process.
#pragma once

#include <atomic>
#include <thread>

#include "engine/base/helpers/check.h"
#include "engine/sync/thread_safety.h"

namespace holdfast::sync {

// A field that is HOLDFAST_GUARDED_BY(role), or a function that HOLDFAST_REQUIRES(role), belongs to the
// thread that has the role. Code that begins on that thread calls assert_held().
class HOLDFAST_CAPABILITY("thread") ThreadRole {
 public:
  ThreadRole() = default;
  ThreadRole(const ThreadRole&) = delete;
  ThreadRole& operator=(const ThreadRole&) = delete;

  // The first thread that calls this has the role from then on. A call by any other thread stops the process.
  void assert_held() HOLDFAST_ASSERT_HELD(this) {
    std::thread::id holder;
    const bool is_first = holder_.compare_exchange_strong(holder, std::this_thread::get_id());
    HOLDFAST_CHECK(is_first || holder == std::this_thread::get_id(),
                   "what one thread alone uses is used by that thread");
  }

 private:
  std::atomic<std::thread::id> holder_;  // no thread at first
};

}  // namespace holdfast::sync
