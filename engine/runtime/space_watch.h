// Watches the free space of the store's device, so that sends stop before it is used up. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "holdfast/error.h"
#include "holdfast/time.h"
#include "storage/store.h"

namespace holdfast {

class SpaceWatch {
 public:
  // `reserve`: bytes to stay free; 0: nothing is refused.
  SpaceWatch(const Store& store, std::uint64_t reserve) : store_(store), reserve_(reserve) {}

  // Before `bytes` more are kept: kDiskFull if that would go below the reserve. Asks the device only when the
  // bytes since it was asked last may make a difference, and before each refusal.
  Result<void> admit(std::size_t bytes);
  // The same for what settles messages too, and so is how space returns: it may use half of the reserve.
  Result<void> admit_with_settled(std::size_t bytes);
  // Asks the device, if the last time is a second ago: others write there too.
  void look(Timestamp now);
  // Empty if the device does not say.
  std::optional<std::uint64_t> free_bytes() const;
  std::uint64_t reserve() const { return reserve_; }

 private:
  Result<void> keep_free(std::uint64_t keep, std::size_t bytes);
  void ask();

  const Store& store_;
  const std::uint64_t reserve_;
  std::atomic<std::uint64_t> free_ = 0;
  std::atomic<std::uint64_t> since_asked_ = 0;  // bytes
  std::atomic<Timestamp::rep> looked_at_ = Timestamp::min().time_since_epoch().count();
};

}  // namespace holdfast
