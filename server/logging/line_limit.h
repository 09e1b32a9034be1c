// Keeps a client that does one wrong thing after another from filling the disk with lines of the log.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

namespace holdfast::server {

class LineLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // This many lines are admitted in a second.
  static constexpr std::uint64_t kLines = 20;

  // Returns whether another line may be written now.
  bool admit(Time now) {
    if (now - second_ >= std::chrono::seconds(1)) {
      second_ = now;
      lines_ = 0;
    }
    const bool admitted = lines_ < kLines;
    ++(admitted ? lines_ : held_back_);
    return admitted;
  }

  // Returns how many lines were held back since the last call.
  std::uint64_t held_back() { return std::exchange(held_back_, 0); }

 private:
  Time second_{};
  std::uint64_t lines_ = 0;
  std::uint64_t held_back_ = 0;
};

}  // namespace holdfast::server
