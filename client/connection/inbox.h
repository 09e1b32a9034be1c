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

// From any thread.
class Inbox {
 public:
  // A delivery as it was pushed, and when it came.
  struct Kept {
    Delivery delivery;
    std::chrono::steady_clock::time_point since;
  };
  // Deliveries, and the opening of the subscription that they came over.
  struct Taken {
    std::vector<Kept> deliveries;
    std::uint64_t opening = 0;
  };

  void add(Deliveries deliveries);
  // The server has taken back what is here. What comes now comes over this opening.
  void reopen(std::uint64_t opening);
  // There will be no more. Only the first end counts.
  void end(Error error);

  // Waits for at least one; none when the time is over. What had come before the end is still given.
  Result<Taken> take(std::size_t max, std::chrono::steady_clock::time_point deadline);
  // They are the next ones again. False: the server has taken them back.
  bool put_back(Taken taken);

 private:
  sync::Mutex mutex_;
  sync::ConditionVariable changed_;
  std::deque<Kept> deliveries_ HOLDFAST_GUARDED_BY(mutex_);
  std::uint64_t opening_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  std::optional<Error> end_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::client
