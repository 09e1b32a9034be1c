// Deliveries that were pushed and not taken yet.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <vector>

#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"
#include "holdfast/broker.h"

namespace holdfast::client {

// Any thread may use it.
class Inbox {
 public:
  // Kept is a delivery as it was pushed, and the time when it came.
  struct Kept {
    Delivery delivery;
    std::chrono::steady_clock::time_point since;
  };
  // Deliveries, and the number of the subscription's opening over which they came.
  struct Taken {
    std::vector<Kept> deliveries;
    std::uint64_t opening = 0;
  };

  void add(Deliveries deliveries);
  // The server has taken back the deliveries that are here. Further ones come over this opening.
  void reopen(std::uint64_t opening);
  // There will be no more deliveries. Only the first call of end() counts.
  void end(Error error);

  // Waits for at least one delivery. Returns none if the deadline passes. Deliveries that came before the end
  // are still returned; then it returns the error of end().
  Result<Taken> take(std::size_t max, std::chrono::steady_clock::time_point deadline);
  // Puts deliveries back, to be taken next. Returns false if the server has taken them back.
  bool put_back(Taken taken);

 private:
  sync::Mutex mutex_;
  sync::ConditionVariable changed_;
  std::deque<Kept> deliveries_ HOLDFAST_GUARDED_BY(mutex_);
  std::uint64_t opening_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  std::optional<Error> end_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::client
