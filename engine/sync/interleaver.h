// Through an interleaver a test decides which thread goes next. The mutexes, conditions, atomics and threads
// of the engine come from this folder, and each of their operations first asks the interleaver of its thread.
// Only LeafMutex does not ask: nothing that other threads could see happens while it is held. A thread
// without an interleaver, which is every thread outside of such a test, goes on at the cost of one
// thread-local load.
//
// tests/interleaving has the implementation that runs one thread at a time, in an order it chooses.
#pragma once

namespace holdfast::sync {

class Interleaver {
 public:
  virtual ~Interleaver() = default;

  // The calling thread is about to do something that other threads may see. Any of them may go first.
  virtual void pause() = 0;
  // The calling thread cannot go on until wake() names `object`. With `may_time_out` it also goes on when no
  // other thread can; the result is false then, and true otherwise.
  virtual bool block(const void* object, bool may_time_out) = 0;
  // The threads that block on `object` can go on: all of them, or one.
  virtual void wake(const void* object, bool all) = 0;

  // The calling thread is about to start another one. The new thread takes part as the player returned.
  virtual void* add_thread() = 0;
  // These are the first and the last act of the new thread.
  virtual void enter(void* player) = 0;
  virtual void leave(void* player) = 0;
  // The calling thread cannot go on until that player's thread has left.
  virtual void await(void* player) = 0;
};

// `interleaver` is that of the calling thread. It is null outside of tests of interleavings.
inline constinit thread_local Interleaver* interleaver = nullptr;

// Lets another thread go first at a place without an operation of this folder, such as inside a test's store.
inline void pause() {
  if (interleaver != nullptr) interleaver->pause();
}

}  // namespace holdfast::sync
