// Deliveries that were pushed and not taken yet.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "holdfast/broker.h"

namespace holdfast::client {

// From any thread.
class Inbox {
 public:
  void add(Deliveries deliveries);
  // The server has taken them back.
  void clear();
  // There will be no more. Only the first end counts.
  void end(Error error);

  // Waits for at least one; none when the time is over. What had come before the end is still given.
  Result<Deliveries> take(std::size_t max, std::chrono::steady_clock::time_point deadline);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Delivery> deliveries_;
  std::optional<Error> end_;
};

}  // namespace holdfast::client
