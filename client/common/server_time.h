// The time of the server, by which its stamps are, as of its last hello and what has passed since.
#pragma once

#include <atomic>

#include "holdfast/time.h"

namespace holdfast::client {

// From any thread.
class ServerTime {
 public:
  // The server's time is this now.
  void set(Timestamp time) { at_start_ = time.time_since_epoch() - system_clock().steady(); }
  Timestamp now() const { return Timestamp(at_start_.load() + system_clock().steady()); }

 private:
  // When the steady clock was at 0. Before the first hello as this machine's clock has it.
  std::atomic<Duration> at_start_ = system_clock().now().time_since_epoch() - system_clock().steady();
};

}  // namespace holdfast::client
