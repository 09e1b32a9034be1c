// Taking a server out of service without losing what its clients are at.
#pragma once

#include <chrono>
#include <cstdint>

#include "holdfast/time.h"

namespace holdfast {

struct DrainOptions {
  // For how long the deliveries that clients hold may still be settled; 0..limits::kDelayMax.
  Duration timeout = std::chrono::seconds(30);
  // Whether the server ends when it is over. Else it stays as it is until Client::resume.
  bool exit = true;

  friend bool operator==(const DrainOptions&, const DrainOptions&) = default;
};

struct DrainStatus {
  bool draining = false;  // false: the server works as ever, and the rest means nothing but in_flight
  bool exits = false;     // see DrainOptions::exit
  // Nobody holds anything any more, or time has run out.
  bool over = false;
  // Deliveries that clients got over the connections that they have now, and that are not over: settled by
  // nobody, and not run out.
  std::uint64_t in_flight = 0;
  Duration left{};  // of the timeout
  // The server has ended: its data directory is free, as are its addresses and its pid file. Its last word.
  bool ended = false;

  friend bool operator==(const DrainStatus&, const DrainStatus&) = default;
};

}  // namespace holdfast
