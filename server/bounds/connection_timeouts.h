// Decides when a connection has been silent or stuck for too long.
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

  // This many bytes of a message may arrive before the client has shown who it is. Any token fits.
  static constexpr std::size_t kUnauthenticatedBytes = 1 << 20;
  // A client that sends less of a message than this in the time of a stall has stopped inside the message.
  static constexpr std::size_t kStepBytes = 4 << 10;

  struct Seen {
    std::uint64_t messages = 0;  // how many messages the client has ever sent
    std::size_t unfinished = 0;  // the bytes of a message that has not come in full
    bool authenticated = true;   // the client has shown its token, or needs none
    std::uint64_t taken = 0;     // how many bytes the client has ever taken
    bool behind = false;         // whether more is ready for the client
    bool busy = false;           // whether a call is in flight
  };

  // Returns why the server must hang up on the connection; an empty text if it need not.
  std::string_view judge(const Seen& seen, const ServerLimits& limits, Time now);

 private:
  const Time made_;
  Time heard_;  // when the client last sent a message, or had a call in flight
  // At this time the client last sent enough of a message, or had none unfinished.
  Time went_on_;
  Time moved_;  // when the client last took something, or had taken everything
  std::uint64_t messages_ = 0;
  std::size_t unfinished_ = 0;  // the bytes that had come at went_on_
  std::uint64_t taken_ = 0;
};

}  // namespace holdfast::server
