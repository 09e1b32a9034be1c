// Pauses consumption while what handlers depend on is down. Pure: time comes from outside.
#pragma once

#include <cstddef>
#include <cstdint>

#include "holdfast/time.h"

namespace holdfast::worker {

class Breaker {
 public:
  // `after`: opens after so many failures in a row; 0: never.
  Breaker(std::size_t after, Duration pause, Duration pause_max)
      : after_(after), pause_(pause), pause_max_(pause_max) {}

  // How many messages may be under way: any number, none, or one that says whether to go on.
  enum class State : std::uint8_t { kClosed, kOpen, kTrying };
  State state(Timestamp time) const;
  // When the pause ends; of an open one.
  Timestamp until() const { return until_; }
  // The pause that would begin now, or began last.
  Duration pause() const;

  // While it is open neither counts: of what was under way when it opened.
  void succeeded(Timestamp time);
  // True: it opened.
  bool failed(Timestamp time);

 private:
  const std::size_t after_;
  const Duration pause_;
  const Duration pause_max_;
  std::size_t failures_ = 0;  // in a row
  std::uint64_t opened_ = 0;  // times since the last success
  Timestamp until_{};
};

}  // namespace holdfast::worker
