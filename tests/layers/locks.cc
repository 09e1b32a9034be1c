// Keeps what the annotations of locks say. With BREAKS_LOCKS it breaks it, once in each way:
// tests/layers/check_locks holds the lint against both.
#include "engine/sync/mutex.h"

namespace holdfast {

class Counter {
 public:
  void add() HOLDFAST_EXCLUDES(mutex_) {
#ifndef BREAKS_LOCKS
    const sync::Lock lock(mutex_);
#endif
    ++count_;
  }

  void add_twice() HOLDFAST_EXCLUDES(mutex_) {
    {
#ifndef BREAKS_LOCKS
      const sync::Lock lock(mutex_);
#endif
      add_locked();
    }
#ifdef BREAKS_LOCKS
    const sync::Lock lock(mutex_);
#endif
    add();
  }

 private:
  void add_locked() HOLDFAST_REQUIRES(mutex_) { ++count_; }

  sync::Mutex mutex_;
  int count_ HOLDFAST_GUARDED_BY(mutex_) = 0;
};

void count(Counter& counter) {
  counter.add();
  counter.add_twice();
}

}  // namespace holdfast
