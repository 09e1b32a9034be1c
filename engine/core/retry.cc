#include "engine/core/retry.h"

#include <algorithm>

#include "engine/base/helpers/split_mix.h"

namespace holdfast {
namespace {

// Evenly spread over 0 <= share < 1, by the 53 bits that a double holds.
double share_of(std::uint64_t noise) {
  return static_cast<double>(split_mix(noise + kSplitMixStep) >> 11) * 0x1.0p-53;
}

Duration full_delay(const RetryPolicy& policy, std::uint32_t failures) {
  switch (policy.kind) {
    case RetryKind::kImmediate:
      break;
    case RetryKind::kFixed:
      return policy.base;
    case RetryKind::kExponential: {
      Duration delay = policy.base;
      for (std::uint32_t i = 1; i < failures && delay < policy.cap; ++i) delay *= 2;
      return std::min(delay, policy.cap);
    }
    case RetryKind::kStages:
      return policy.stages[std::min<std::size_t>(std::max(failures, 1U), policy.stages.size()) - 1];
  }
  return Duration{0};
}

}  // namespace

Duration retry_delay(const RetryPolicy& policy, std::uint32_t failures, std::uint64_t noise) {
  const Duration delay = full_delay(policy, failures);
  const double shortened = static_cast<double>(delay.count()) * policy.jitter * share_of(noise);
  return delay - Duration(static_cast<Duration::rep>(shortened));
}

}  // namespace holdfast
