// RandomBackoff chooses the pauses before each new connection.
#pragma once

#include <algorithm>
#include <random>

#include "holdfast/time.h"

namespace holdfast::client {

class RandomBackoff {
 public:
  RandomBackoff(Duration initial, Duration cap, std::uint64_t seed)
      : initial_(initial), cap_(cap), bound_(std::min(initial, cap)), random_(seed) {}

  // Returns a random pause up to a bound that doubles from call to call.
  Duration next() {
    const Duration pause(std::uniform_int_distribution<Duration::rep>(0, bound_.count())(random_));
    bound_ = bound_ > cap_ / 2 ? cap_ : bound_ * 2;
    return pause;
  }

  void reset() { bound_ = std::min(initial_, cap_); }

 private:
  Duration initial_;
  Duration cap_;
  Duration bound_;
  std::mt19937_64 random_;
};

}  // namespace holdfast::client
