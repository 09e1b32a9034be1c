// A rate limit says how many messages a task may move by now. The caller passes the time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "holdfast/time.h"

namespace holdfast {

// The limit is a token bucket that holds one second's worth of messages, and starts empty.
class RateLimit {
 public:
  // `per_second` is 0 for no limit.
  RateLimit(std::uint32_t per_second, Timestamp start) : rate_(per_second), filled_at_(start) {}

  bool limits() const { return rate_ != 0; }

  // Returns how many whole messages may move at `now`. Returns 0 while a step would be too small to be worth
  // its commit.
  std::uint64_t available(Timestamp now) {
    fill(now);
    return credit_ >= step() ? credit_ / kPerMessage : 0;
  }
  void take(std::uint64_t messages) { credit_ -= std::min(credit_, messages * kPerMessage); }

  // Returns when available() returns more than 0 again.
  Timestamp next() const {
    if (credit_ >= step()) return filled_at_;
    return filled_at_ + Duration(static_cast<Duration::rep>((step() - credit_ + rate_ - 1) / rate_));
  }

 private:
  // One credit is a millionth of a message, which is what a rate of one message a second gives in a
  // microsecond.
  static constexpr std::uint64_t kPerMessage = 1'000'000;
  static constexpr std::uint64_t kStepsPerSecond = 20;

  std::uint64_t step() const {
    return std::max<std::uint64_t>(kPerMessage, rate_ * kPerMessage / kStepsPerSecond);
  }

  void fill(Timestamp now) {
    if (now <= filled_at_) return;
    // After a second the bucket is full, however slow the rate is. The bound also keeps the product far from
    // overflow.
    const auto elapsed = std::min<Duration>(now - filled_at_, std::chrono::seconds(1));
    const std::uint64_t full = rate_ * kPerMessage;
    credit_ = std::min(full, credit_ + static_cast<std::uint64_t>(elapsed.count()) * rate_);
    filled_at_ = now;
  }

  const std::uint64_t rate_;
  Timestamp filled_at_;
  std::uint64_t credit_ = 0;
};

}  // namespace holdfast
