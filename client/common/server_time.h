// ServerTime is the server's time, by which it makes timestamps. It is derived from the server's last hello
// and the time that has passed since.
#pragma once

#include <atomic>

#include "holdfast/time.h"

namespace holdfast::client {

// Any thread may use it.
class ServerTime {
 public:
  // Says that the server's time is `time` now.
  void set(Timestamp time) { at_start_ = time.time_since_epoch() - system_clock().steady(); }
  Timestamp now() const { return Timestamp(at_start_.load() + system_clock().steady()); }

 private:
  // `at_start_` is the server's time when the steady clock was at 0. Before the first hello it comes from
  // this machine's clock.
  std::atomic<Duration> at_start_ = system_clock().now().time_since_epoch() - system_clock().steady();
};

}  // namespace holdfast::client
