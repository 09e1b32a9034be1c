// The sessions of people who have signed in with a browser.
//
// A browser does not keep its token: it gets the id of a session, 256 random bits that are worth something
// only here, and only until the user signs out, the session is idle for kSessionIdle, or the server ends. The
// token stays in this process, and each request is made with it, so a token that is revoked ends its sessions
// too.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/sync/mutex.h"
#include "holdfast/error.h"

namespace holdfast::server {

constexpr auto kSessionIdle = std::chrono::hours(12);
// kMaxSessions is the most sessions of all browsers together. If there are more, the one that was idle for
// longest is dropped.
constexpr std::size_t kMaxSessions = 1024;

// SessionTime is a time of a clock that nobody sets.
using SessionTime = std::chrono::steady_clock::time_point;

// A SessionLifeline is what an answer that goes on, such as a stream, has of its session. It does not keep
// the session up. Any thread may use it.
class SessionLifeline {
 public:
  explicit SessionLifeline(std::weak_ptr<const std::atomic<SessionTime>> used = {})
      : used_(std::move(used)) {}

  // Returns whether the session has ended, or there never was one. A session that is idle for too long has
  // ended, whether or not somebody has asked for it since.
  bool is_over(SessionTime now) const;

 private:
  std::weak_ptr<const std::atomic<SessionTime>> used_;
};

// Any thread may use it.
class Sessions {
 public:
  using Time = SessionTime;

  // Opens a session and returns its id. kUnavailable if no random numbers can be had.
  Result<std::string> open(std::string token, Time now);
  // Returns the token with which the session was opened; an empty text if there is no such session.
  std::string token_of(const std::string& id, Time now);
  SessionLifeline lifeline_of(const std::string& id);
  void close(const std::string& id);

 private:
  struct BrowserSession {
    std::string token;
    // `used` says when the session was used last. It is there for as long as the session is.
    std::shared_ptr<std::atomic<Time>> used;

    bool is_over(Time now) const { return SessionLifeline(used).is_over(now); }
  };

  void make_room(Time now) HOLDFAST_REQUIRES(mutex_);

  sync::Mutex mutex_;
  // The key is the hash of the session's id, so that the time of a look-up tells nothing about ids.
  std::map<std::string, BrowserSession> by_hash_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::server
