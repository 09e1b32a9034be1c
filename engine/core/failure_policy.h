// What a queue does with a message whose delivery failed: whether it was the last one, and when the next one
// may be.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/core/chunk_state.h"
#include "holdfast/queue.h"

namespace holdfast {

struct FailurePolicy {
  std::uint32_t max_deliveries = 0;  // 0: messages are retried for ever
  Duration lifetime{0};              // 0: messages are retried for ever
  RetryPolicy retry = {};
  // While it is set, deliveries that fail are not charged, and their messages wait this long.
  std::optional<Duration> brake = {};

  // Whether a message is exhausted whose delivery failed at that time.
  bool is_last(const Entry& entry, Timestamp failed_at) const;
  // How long it waits after its `failures`-th failed delivery, 1 or more. `noise` decides the jitter.
  Duration retry_delay(std::uint32_t failures, std::uint64_t noise) const;
};

}  // namespace holdfast
