// Pauses consumption while something that handlers depend on is down. It has no clock: callers pass the time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "holdfast/time.h"

namespace holdfast::worker {

class Breaker {
 public:
  // The breaker opens after `after` failures in a row; never if it is 0.
  Breaker(std::size_t after, Duration pause, Duration pause_max)
      : after_(after), pause_(pause), pause_max_(pause_max) {}

  // A State says how many messages may be under way: any number, none, or one, which tells whether to go on.
  enum class State : std::uint8_t { kClosed, kOpen, kTrying };
  State state(Timestamp time) const;
  // Returns when the pause ends. Requires that the breaker is open.
  Timestamp until() const { return until_; }
  // Returns the pause that began last, or that would begin now.
  Duration pause() const;

  // Note the outcome of a message. While the breaker is open neither counts: such a message was under way
  // when it opened.
  void succeeded(Timestamp time);
  // Returns whether the breaker opened.
  bool failed(Timestamp time);

 private:
  const std::size_t after_;
  const Duration pause_;
  const Duration pause_max_;
  std::size_t failures_ = 0;  // how many failures came in a row
  std::uint64_t opened_ = 0;  // how often it opened since the last success
  Timestamp until_{};
};

}  // namespace holdfast::worker
