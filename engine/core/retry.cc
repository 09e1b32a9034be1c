#include "core/retry.h"

#include <algorithm>

namespace holdfast {
namespace {

// Evenly spread over 0 <= share < 1: the finalizer of SplitMix64 (Steele, Lea, Flood 2014), then the 53 bits
// that a double holds.
double share_of(std::uint64_t noise) {
  noise += 0x9e3779b97f4a7c15U;
  noise = (noise ^ (noise >> 30)) * 0xbf58476d1ce4e5b9U;
  noise = (noise ^ (noise >> 27)) * 0x94d049bb133111ebU;
  noise ^= noise >> 31;
  return static_cast<double>(noise >> 11) * 0x1.0p-53;
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
