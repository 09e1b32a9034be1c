// The sessions of people who have signed in with a browser.
//
// A browser does not keep its token: it gets the id of a session, 256 random bits that are worth something
// only here, and only until the user signs out, the session is idle for kSessionIdle, or the server ends. The
// token stays in this process, and each request is made with it, so a token that is revoked ends its sessions
// too.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "engine/sync/mutex.h"
#include "holdfast/error.h"

namespace holdfast::server {

constexpr auto kSessionIdle = std::chrono::hours(12);
// The most sessions of all browsers together. If there are more, the one that was idle for longest is
// dropped.
constexpr std::size_t kMaxSessions = 1024;

// Thread-safe. Times are those of a clock that nobody sets.
class Sessions {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Opens a session and returns its id. kUnavailable if no random numbers can be had.
  Result<std::string> open(std::string token, Time now);
  // Returns the token with which the session was opened; an empty text if there is no such session.
  std::string token_of(const std::string& id, Time now);
  // Expires when the session ends; it has expired if there is no such session.
  std::weak_ptr<const void> lifeline_of(const std::string& id);
  void close(const std::string& id);

 private:
  struct Session {
    std::string token;
    Time used;
    std::shared_ptr<const void> lifeline = std::make_shared<int>();
  };

  void make_room(Time now) HOLDFAST_REQUIRES(mutex_);

  sync::Mutex mutex_;
  // The key is the hash of the session's id, so that the time of a look-up tells nothing about ids.
  std::map<std::string, Session> by_hash_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::server
