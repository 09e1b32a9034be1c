// The policy says what a queue does with a message whose delivery failed: whether that delivery was the last
// one, and when the next one may be.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/core/chunk_state.h"
#include "holdfast/queue.h"

namespace holdfast {

struct FailurePolicy {
  std::uint32_t max_deliveries = 0;  // 0 means any number
  Duration retry_budget{0};          // since the first failure; 0 means without end
  RetryPolicy retry = {};
  // While a brake is set, failed deliveries are not charged, and their messages wait at least this long.
  std::optional<Duration> brake = {};

  // Returns whether the message is exhausted after a delivery that failed at `failed_at`.
  bool is_last(const Entry& entry, Timestamp failed_at) const;
  // Returns how long a message waits after its failed delivery number `failures`, counted from 1. `noise`
  // decides the jitter.
  Duration retry_delay(std::uint32_t failures, std::uint64_t noise) const;
};

}  // namespace holdfast
