// Hold is a place where one thread is held up, so that a test sees what others do before it goes on.
#pragma once

#include <atomic>
#include <cstdint>

namespace holdfast::testing {

class Hold {
 public:
  // Holds up the next thread that calls pass().
  void arm() { phase_ = Phase::kArmed; }
  void wait_until_held() const { phase_.wait(Phase::kArmed); }
  void go_on() {
    phase_ = Phase::kOff;
    phase_.notify_all();
  }

  void pass() {
    Phase armed = Phase::kArmed;
    if (!phase_.compare_exchange_strong(armed, Phase::kHeld)) return;
    phase_.notify_all();
    phase_.wait(Phase::kHeld);
  }

 private:
  enum class Phase : std::uint8_t { kOff, kArmed, kHeld };
  std::atomic<Phase> phase_ = Phase::kOff;
};

}  // namespace holdfast::testing
