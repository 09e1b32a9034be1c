// Remembers which dead letters could not be dealt with, and when to try them again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast::worker {

class FailedLetters {
 public:
  // kRemembered is the most dead letters that are remembered. Further ones are tried with each pass.
  static constexpr std::size_t kRemembered = 10'000;

  FailedLetters(Duration first, Duration cap) : first_(first), cap_(cap) {}

  void failed(Seq seq, Timestamp time);
  void succeeded(Seq seq) { known_.erase(seq); }
  // Returns whether the dead letter must be tried now. Must be called for each dead letter that a pass meets.
  bool is_due(Seq seq, Timestamp time);

  // Begins a pass over all dead letters. Those that a complete last pass did not meet are forgotten.
  void begin_pass();
  // Ends the pass early: dead letters that it did not meet may still be there.
  void abandon_pass();

 private:
  struct Failure {
    std::uint64_t times = 0;
    Timestamp again_at{};
    bool seen = true;
  };

  const Duration first_;
  const Duration cap_;
  std::map<Seq, Failure> known_;
  bool complete_ = false;  // the last pass was complete
};

}  // namespace holdfast::worker
