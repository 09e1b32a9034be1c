// Which dead letters could not be dealt with, and when to try again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast::worker {

class Failures {
 public:
  // Of so many is remembered when to try again; the rest is tried with each pass.
  static constexpr std::size_t kRemembered = 10'000;

  Failures(Duration first, Duration cap) : first_(first), cap_(cap) {}

  void failed(Seq seq, Timestamp time);
  void succeeded(Seq seq) { known_.erase(seq); }
  // Whether it is to be tried now. To be asked of each that a pass comes across.
  bool is_due(Seq seq, Timestamp time);

  // A pass over all of them begins; those that the one before it did not come across are gone.
  void begin_pass();
  // It ended early: what it did not come across may be there.
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
  bool complete_ = false;  // the last pass
};

}  // namespace holdfast::worker
