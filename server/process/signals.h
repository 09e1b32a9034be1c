// Takes the signals that end the process, and ends it by force if it does not end.
#pragma once

#include <chrono>
#include <thread>

#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"
#include "server/options/config.h"

namespace holdfast::server {

// Blocks SIGTERM, SIGINT and SIGHUP for this thread and for every thread that it starts later. Must be called
// before there are other threads.
void block_signals();

// kOverdueStatus is the exit status after a stop that did not end in its time. timeout(1) uses the same one.
inline constexpr int kOverdueStatus = 124;

// The program says this if it cannot have a thread when it starts.
inline constexpr const char* kNoThread =
    "no thread can be started: allow it more memory (ulimit -v, MemoryMax=) or more processes and threads "
    "(ulimit -u, TasksMax=)";

// Takes the signals on a thread of its own, so that they are heard whatever the other threads do. A second
// SIGTERM or SIGINT ends the process at once. From the first one, or from end_within(), the process has its
// stop-timeout, and as long again (at least 2 seconds) for what cannot be interrupted. Then it is ended with
// kOverdueStatus, even if memory or a thread is lost or the log is stuck. Both ways are as safe as a crash:
// what was answered as done with fsync is on disk by then, and nothing is answered later.
class Signals {
 public:
  // Throws std::system_error if no thread can be had.
  Signals(LogFormat format, std::chrono::seconds stop_timeout);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Waits for a signal that was not returned yet. Returns 0 if none comes in this time.
  int wait(std::chrono::nanoseconds at_most);

  // Changes the stop-timeout for a stop that begins later.
  void set_stop_timeout(std::chrono::seconds timeout);

  // The process stops by itself: it has this time, and as much again (at least 2 seconds), before it is
  // ended.
  void end_within(std::chrono::nanoseconds time);

 private:
  using Time = std::chrono::steady_clock::time_point;

  void listen();
  void take(int signal);
  void end_within_locked(std::chrono::nanoseconds time) HOLDFAST_REQUIRES(mutex_);
  // Makes the thread look again at how long it may wait.
  void nudge();
  // Returns the time until the process is ended, a long time if it is not to be ended, and a negative time
  // once this object goes.
  std::chrono::nanoseconds left();

  const LogFormat format_;
  sync::Mutex mutex_;
  sync::ConditionVariable came_;
  int stop_ HOLDFAST_GUARDED_BY(mutex_) = 0;         // the signal, until wait() returns it
  bool reload_ HOLDFAST_GUARDED_BY(mutex_) = false;  // whether SIGHUP came, until wait() returns it
  std::chrono::seconds stop_timeout_ HOLDFAST_GUARDED_BY(mutex_);
  Time end_ HOLDFAST_GUARDED_BY(mutex_) = Time::max();
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool over_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

// Sets what ends the process when nobody catches an exception: a line on standard error says why. Without
// memory, threads or descriptors the exit status is that of ErrorCode::kUnavailable; otherwise the process
// aborts.
void name_last_exception();

}  // namespace holdfast::server
