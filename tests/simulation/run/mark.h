// A Mark is what some run of a campaign must reach: otherwise the campaign shows less than it should.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>

namespace holdfast::simulation {

enum class Mark : std::uint8_t {
  kDuplicate,
  kKnownBody,
  kClockSet,
  kQueueFull,
  kDiskFull,
  kStaleReceipt,
  kGivenWhileWaiting,
  kCommitted,
  kRowRemoved,
  kConditionFailed,
  kRedriven,
  kEdited,
  kExpired,
  kOverflowed,
  kOutlived,
  kParked,
  kRepeatedInAnotherLife,
  kRepeatedAfterStandstill,
  kTriaged,
  kDiscarded,
  kImported,
  kPurgedBesideTheDead,
  kArchived,
  kWriteFailed,
  kHappenedWithoutAnswer,
  kEnd,
};
using Marks = std::bitset<static_cast<std::size_t>(Mark::kEnd)>;

}  // namespace holdfast::simulation
