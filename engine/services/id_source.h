// Makes message ids and lease ids. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>

#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast {

class IdSource {
 public:
  // `epoch` says how often the data directory was opened, this time included. It makes lease ids unique even
  // after a crash of the machine that lost the rows of the last ones. `salt` makes message ids unique among
  // engines. AllocationRow says what `lease_salt` is.
  IdSource(std::uint64_t epoch, std::uint64_t salt, std::uint64_t lease_salt)
      : next_lease_(epoch << kEpochShift), salt_(salt), lease_salt_(lease_salt) {}

  LeaseId next_lease() { return LeaseId{next_lease_.fetch_add(1, std::memory_order_relaxed) ^ lease_salt_}; }
  MessageId next_message(Timestamp now);

  static constexpr int kEpochShift = 44;
  static constexpr std::uint64_t kEpochMax = (std::uint64_t{1} << (64 - kEpochShift)) - 1;

 private:
  std::atomic<std::uint64_t> next_lease_;
  std::atomic<std::uint64_t> next_message_ = 0;
  const std::uint64_t salt_;
  const std::uint64_t lease_salt_;
};

}  // namespace holdfast
