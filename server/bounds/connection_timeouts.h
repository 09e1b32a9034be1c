// When a connection has been silent or stuck for too long.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "server/options/server_options.h"

namespace holdfast::server {

class ConnectionTimeouts {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit ConnectionTimeouts(Time made) : made_(made), heard_(made), went_on_(made), moved_(made) {}

  // What may come of a message before it is known who sends it: enough for any token.
  static constexpr std::size_t kUnauthenticatedBytes = 1 << 20;
  // Whoever sends less than this of a message in the time of a stall has stopped inside it.
  static constexpr std::size_t kStepBytes = 4 << 10;

  struct Seen {
    std::uint64_t messages = 0;  // that it has sent, ever
    std::size_t unfinished = 0;  // bytes of a message whose rest is waited for
    bool authenticated = true;   // it has shown its token, or needs none
    std::uint64_t taken = 0;     // bytes that it has taken, ever
    bool behind = false;         // whether there is more for it
    bool busy = false;           // whether a call is in flight
  };

  // Why it is to be hung up on; empty: it is not.
  std::string_view judge(const Seen& seen, const ServerLimits& limits, Time now);

 private:
  const Time made_;
  Time heard_;    // when it was last heard of, or busy
  Time went_on_;  // when it last sent enough of a message, or owed nothing of one
  Time moved_;    // when it last took something, or had all there was
  std::uint64_t messages_ = 0;
  std::size_t unfinished_ = 0;  // when it last went on
  std::uint64_t taken_ = 0;
};

}  // namespace holdfast::server
