#include "server/process/signals.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "holdfast/error.h"

namespace holdfast::server {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds kForEver = std::chrono::hours(24);
constexpr nanoseconds kLeastMargin = std::chrono::seconds(2);

// Returns the signal that this process sends to itself.
int nudge_signal() { return SIGRTMIN; }

sigset_t all_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, nudge_signal()}) sigaddset(&signals, signal);
  return signals;
}

timespec to_timespec(nanoseconds time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return {.tv_sec = seconds.count(), .tv_nsec = (time - seconds).count()};
}

// Writes without memory, locks or waiting: there may be no memory left, and somebody else may hold a lock for
// ever. A pipe that nobody reads has no room, and gets nothing.
void write_line(const char* text, std::size_t size) {
  pollfd error{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (::poll(&error, 1, 0) == 1) (void)!::write(STDERR_FILENO, text, size);
}

// Writes the last line of the log.
void write_last_line(LogFormat format, const char* level, const char* event) {
  std::timespec now{};
  (void)std::timespec_get(&now, TIME_UTC);
  std::tm utc{};
  ::gmtime_r(&now.tv_sec, &utc);
  std::array<char, 32> seconds{};
  (void)std::strftime(seconds.data(), seconds.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  constexpr long kMillisecond = 1'000'000;
  std::array<char, 256> line{};
  const char* shape = format == LogFormat::kJson
                          ? "{\"time\": \"%s.%03ldZ\", \"level\": \"%s\", \"event\": \"%s\"}\n"
                          : "%s.%03ldZ %s %s\n";
  const int size = std::snprintf(line.data(), line.size(), shape, seconds.data(), now.tv_nsec / kMillisecond,
                                 level, event);
  if (size > 0)
    write_line(line.data(), std::min<std::size_t>(static_cast<std::size_t>(size), line.size() - 1));
}

constexpr const char* kNoMemory = "out of memory: allow it more (ulimit -v, MemoryMax=)";

[[noreturn]] void on_terminate() {
  std::array<char, 256> line{};
  int status = -1;
  const auto say = [&](const char* what) {
    (void)std::snprintf(line.data(), line.size(), "holdfastd: cannot continue: %s\n", what);
    write_line(line.data(), std::strlen(line.data()));
  };
  const auto current = std::current_exception();
  // A library may end like this if it finds no thread: the exception that says so meets threads of the
  // library that nobody has joined.
  if (!current && std::uncaught_exceptions() > 0) {
    say(kNoThread);
    status = error_info(ErrorCode::kUnavailable).exit_status;
  }
  try {
    if (current) std::rethrow_exception(current);
  } catch (const std::bad_alloc&) {
    say(kNoMemory);
    status = error_info(ErrorCode::kUnavailable).exit_status;
  } catch (const std::system_error& e) {
    // The system's name for this error does not say what was missing.
    say(e.code() == std::errc::resource_unavailable_try_again ? kNoThread : e.what());
    status = error_info(ErrorCode::kUnavailable).exit_status;
  } catch (const std::exception& e) {
    say(e.what());
  } catch (...) {
    say("an unknown exception");
  }
  if (status >= 0) ::_exit(status);
  std::abort();
}

}  // namespace

void block_signals() {
  const sigset_t signals = all_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void name_last_exception() { std::set_terminate(on_terminate); }

Signals::Signals(LogFormat format, std::chrono::seconds stop_timeout)
    : format_(format), stop_timeout_(stop_timeout), thread_([this] { listen(); }) {}

Signals::~Signals() {
  {
    const sync::Lock lock(mutex_);
    over_ = true;
  }
  nudge();
  thread_.join();
}

int Signals::wait(nanoseconds at_most) {
  sync::Lock lock(mutex_);
  const auto end = std::chrono::steady_clock::now() + at_most;
  bool in_time = true;
  while (stop_ == 0 && !reload_ && in_time) in_time = came_.wait_until(lock, end);
  if (stop_ != 0) return std::exchange(stop_, 0);
  return std::exchange(reload_, false) ? SIGHUP : 0;
}

void Signals::set_stop_timeout(std::chrono::seconds timeout) {
  const sync::Lock lock(mutex_);
  stop_timeout_ = timeout;
}

void Signals::end_within(nanoseconds time) {
  {
    const sync::Lock lock(mutex_);
    end_within_locked(time);
  }
  nudge();
}

void Signals::nudge() { ::pthread_kill(thread_.native_handle(), nudge_signal()); }

void Signals::end_within_locked(nanoseconds time) {
  end_ = std::min(end_, std::chrono::steady_clock::now() + time + std::max(time, kLeastMargin));
}

void Signals::listen() {
  const sigset_t signals = all_signals();
  for (nanoseconds pause = left(); pause >= nanoseconds(0); pause = left()) {
    const timespec time = to_timespec(pause);
    if (const int signal = sigtimedwait(&signals, nullptr, &time); signal > 0) take(signal);
  }
}

nanoseconds Signals::left() {
  const sync::Lock lock(mutex_);
  if (over_) return nanoseconds(-1);
  if (end_ == Time::max()) return kForEver;
  const auto now = std::chrono::steady_clock::now();
  if (now < end_) return end_ - now;
  write_last_line(format_, "critical",
                  "not stopped in time: ending the process, which is as safe as a crash");
  ::_exit(kOverdueStatus);
}

void Signals::take(int signal) {
  if (signal == nudge_signal()) return;
  const sync::Lock lock(mutex_);
  if (signal != SIGHUP && std::exchange(stopping_, true)) {
    write_last_line(format_, "warning", "stopping at once, on a second signal");
    constexpr int kBySignal = 128;
    ::_exit(kBySignal + signal);
  }
  if (signal == SIGHUP) {
    reload_ = true;
  } else {
    stop_ = signal;
    end_within_locked(stop_timeout_);
  }
  came_.notify_one();
}

}  // namespace holdfast::server
