// Notices when a queue's messages die in large numbers. It is pure: the caller passes the time.
#pragma once

#include <boost/container/deque.hpp>
#include <cstdint>

#include "holdfast/policy.h"

namespace holdfast {

class Brake {
 public:
  // Notes that a message died. Returns true if the brake is on now and was not on before.
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

  // Puts the brake on until then, because it was on when the queue was last open.
  void restore(Timestamp until) { until_ = until; }

  // Returns how many messages died within the minute before the last death.
  std::uint64_t deaths() const { return deaths_; }
  bool on() const { return until_ != Timestamp{}; }
  // Returns when the brake clears, or the epoch while it is off.
  Timestamp until() const { return until_; }
  // Clears the brake if its time is over, or if the options no longer want it. Returns whether it did.
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
  // `seconds_` has the deaths of the last minute. Unlike std::deque, this container takes no memory while it
  // is empty, and there may be many idle queues.
  boost::container::deque<Second> seconds_;
  std::uint64_t deaths_ = 0;
  Timestamp until_{};
};

// Returns the brake as an alert, which events have.
inline Alert flood_alert(const FloodBrake& options, std::uint64_t deaths, Timestamp time) {
  return {.rule = "flood_brake", .since = time, .value = deaths, .threshold = options.deaths_per_minute};
}

}  // namespace holdfast
