// This header declares the options for the brake that slows a queue whose messages die in large numbers.
#pragma once

#include <chrono>
#include <cstdint>

#include "holdfast/detail/duration.h"

namespace holdfast {

// Keeps an outage from emptying a queue into its dead letter queue. When messages die in large numbers, it is
// more likely that something that they need is down than that all of them are bad. While the brake is on,
// deliveries that fail are not charged, and their messages wait. The brake goes off by itself a minute after
// the last death. Messages that consumers reject die all the same.
struct FloodBrake {
  std::uint32_t deaths_per_minute = 0;  // the brake goes on when more messages die in a minute; 0: never
  // A message whose delivery fails while the brake is on waits for this long: 0..1 h.
  Duration delay = std::chrono::seconds(30);

  friend bool operator==(const FloodBrake&, const FloodBrake&) = default;
};

}  // namespace holdfast
