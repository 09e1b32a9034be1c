// The signals that end the process, and the last resort if it does not end.
#pragma once

#include <chrono>
#include <thread>

#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"
#include "server/options/config.h"

namespace holdfast::server {

// Holds SIGTERM, SIGINT and SIGHUP back from this thread, and from every one that is begun later. To be
// called before there are any.
void block_signals();

// The exit status of a stop that did not come to its end in its time; as timeout(1) has it.
inline constexpr int kOverdueStatus = 124;

// What a start says that finds no thread.
inline constexpr const char* kNoThread =
    "no thread can be had: let it have more memory (ulimit -v, MemoryMax=) or more processes and threads "
    "(ulimit -u, TasksMax=)";

// Takes the signals on a thread of its own, so that they are heard whatever the others are at. A second
// SIGTERM or SIGINT ends the process at once. From the first one on, or end_within(), the process has its
// stop-timeout, and as long again (at least 2 seconds) for what cannot be broken off; then it is ended, with
// kOverdueStatus, though memory or a thread is lost, or the log is stuck. Either is as safe as a crash: what
// was answered as done with fsync is on disk by then, and nothing is answered later.
class Signals {
 public:
  // Throws a std::system_error if there is no thread to be had.
  Signals(LogFormat format, std::chrono::seconds stop_timeout);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // A signal that was not given yet: 0 if there is none for so long.
  int wait(std::chrono::nanoseconds at_most);

  // From now on.
  void set_stop_timeout(std::chrono::seconds timeout);

  // The process stops on its own: it has so long, and what is said above.
  void end_within(std::chrono::nanoseconds time);

 private:
  using Time = std::chrono::steady_clock::time_point;

  void listen();
  void take(int signal);
  void end_within_locked(std::chrono::nanoseconds time) HOLDFAST_REQUIRES(mutex_);
  // Has the thread look again at how long it may wait.
  void nudge();
  // Until the end, if there is to be one; less than nothing once this object goes.
  std::chrono::nanoseconds left();

  const LogFormat format_;
  sync::Mutex mutex_;
  sync::ConditionVariable came_;
  int stop_ HOLDFAST_GUARDED_BY(mutex_) = 0;         // the signal, until it is given
  bool reload_ HOLDFAST_GUARDED_BY(mutex_) = false;  // whether one asked for that, until it is given
  std::chrono::seconds stop_timeout_ HOLDFAST_GUARDED_BY(mutex_);
  Time end_ HOLDFAST_GUARDED_BY(mutex_) = Time::max();
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool over_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

// What ends the process when an exception is nobody's: a line on standard error that says why. Without
// memory, threads or descriptors the status is that of ErrorCode::kUnavailable, else it is an abort.
void name_last_exception();

}  // namespace holdfast::server
