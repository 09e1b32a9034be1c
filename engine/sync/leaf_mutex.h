// Nothing happens under a LeafMutex that other threads could see: each operation of a store in memory is one
// step. It takes no turns (sync/interleaver.h). A thread that asks for it can always go on, since its holder
// never waits; and each order of its holders comes from some order of the turns around it.
#pragma once

#include <mutex>

#include "engine/sync/mutex.h"

namespace holdfast::sync {

class HOLDFAST_CAPABILITY("mutex") LeafMutex {
 public:
  LeafMutex() = default;
  LeafMutex(const LeafMutex&) = delete;
  LeafMutex& operator=(const LeafMutex&) = delete;

  void lock() HOLDFAST_ACQUIRE() { native_.lock(); }
  void unlock() HOLDFAST_RELEASE() { native_.unlock(); }

 private:
  std::mutex native_;
};

using LeafLock = BasicLock<LeafMutex>;

}  // namespace holdfast::sync
