// Who has signed in with a browser.
//
// A browser is not given its token to keep: it gets the id of a session, 256 random bits that are worth
// something only here, and only until somebody signs out, the session lies idle for kSessionIdle, or the
// server ends. The token stays in this process, and each request is made with it, so one that is revoked ends
// its sessions too.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>

#include "engine/sync/mutex.h"
#include "holdfast/error.h"

namespace holdfast::server {

constexpr auto kSessionIdle = std::chrono::hours(12);
// Of all browsers; the one that was idle for longest makes room for another.
constexpr std::size_t kMaxSessions = 1024;

// Thread-safe. Times are those of a clock that nobody sets.
class Sessions {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The id of a new one. kUnavailable if there is no randomness to be had.
  Result<std::string> open(std::string token, Time now);
  // The token that it was opened with; empty if there is no such session.
  std::string token_of(const std::string& id, Time now);
  void close(const std::string& id);

 private:
  struct Session {
    std::string token;
    Time used;
  };

  void make_room(Time now) HOLDFAST_REQUIRES(mutex_);

  sync::Mutex mutex_;
  // By the hash of its id: looking one up tells nothing by the time that it takes.
  std::map<std::string, Session> by_hash_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::server
