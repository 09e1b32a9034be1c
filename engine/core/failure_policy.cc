#include "engine/core/failure_policy.h"

#include <algorithm>

#include "engine/base/helpers/check.h"
#include "engine/base/helpers/split_mix.h"

namespace holdfast {
namespace {

// Returns a share, 0 <= share < 1, that is spread evenly over the 53 bits that a double holds.
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
      HOLDFAST_CHECK(!policy.stages.empty(), "a policy of stages has a stage");
      return policy.stages[std::min<std::size_t>(std::max(failures, 1U), policy.stages.size()) - 1];
  }
  return Duration{0};
}

}  // namespace

bool FailurePolicy::is_last(const Entry& entry, Timestamp failed_at) const {
  if (max_deliveries != 0 && entry.deliveries >= max_deliveries) return true;
  return retry_budget > Duration{0} && failed_at - entry.first_failed_at > retry_budget;
}

Duration FailurePolicy::retry_delay(std::uint32_t failures, std::uint64_t noise) const {
  const Duration delay = full_delay(retry, failures);
  const double shortened = static_cast<double>(delay.count()) * retry.jitter * share_of(noise);
  return delay - Duration(static_cast<Duration::rep>(shortened));
}

}  // namespace holdfast
