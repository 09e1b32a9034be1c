// Notices when a queue's messages die in large numbers. Pure: time comes from outside.
#pragma once

#include <boost/container/deque.hpp>
#include <cstdint>

#include "holdfast/policy.h"

namespace holdfast {

class Brake {
 public:
  // A message died. True if the brake is on now and was not before.
  bool died(const FloodBrake& options, Timestamp time) {
    while (!seconds_.empty() && seconds_.front().start + kWindow <= time) {
      deaths_ -= seconds_.front().deaths;
      seconds_.pop_front();
    }
    const Timestamp second = std::chrono::floor<std::chrono::seconds>(time);
    if (seconds_.empty() || seconds_.back().start != second) seconds_.push_back({second, 0});
    ++seconds_.back().deaths;
    ++deaths_;
    if (options.deaths_per_minute == 0) return false;
    const bool was_on = on();
    const bool goes_on = was_on && time < until_;
    if (!goes_on && deaths_ <= options.deaths_per_minute) return false;
    until_ = time + kWindow;
    return !was_on;
  }

  // Within the last minute, as of the last death.
  std::uint64_t deaths() const { return deaths_; }
  bool on() const { return until_ != Timestamp{}; }
  // When it clears; the epoch while it is off.
  Timestamp until() const { return until_; }
  // True if it was on and its time is over, or it is not wanted any more.
  bool clear(const FloodBrake& options, Timestamp time) {
    if (!on() || (until_ > time && options.deaths_per_minute != 0)) return false;
    until_ = {};
    return true;
  }

 private:
  static constexpr Duration kWindow = std::chrono::minutes(1);

  struct Second {
    Timestamp start{};
    std::uint32_t deaths = 0;
  };
  // Of the last minute. Unlike std::deque it takes no memory while it is empty: there may be many idle
  // queues.
  boost::container::deque<Second> seconds_;
  std::uint64_t deaths_ = 0;
  Timestamp until_{};
};

// The brake as a rule, in events.
inline Alert flood_alert(const FloodBrake& options, std::uint64_t deaths, Timestamp time) {
  return {.rule = "flood_brake", .since = time, .value = deaths, .threshold = options.deaths_per_minute};
}

}  // namespace holdfast
