// The class is part of holdfast/work.h.
#include <algorithm>

#include "client/worker/backoff.h"
#include "client/worker/worker_impl.h"
#include "engine/base/helpers/split_mix.h"

namespace holdfast {
namespace {

// Shortens a wait at random, by a number that differs from call to call.
Duration jittered(Duration wait, double jitter, std::uint64_t noise) {
  const double share = static_cast<double>(split_mix(noise + kSplitMixStep) >> 11) * 0x1.0p-53;
  const double shorter = static_cast<double>(wait.count()) * std::clamp(jitter, 0.0, 1.0) * share;
  return wait - Duration(static_cast<Duration::rep>(shorter));
}

}  // namespace

bool WorkContext::lost() const { return impl_.is_lost(delivery_.receipt); }
bool WorkContext::stopping() const { return impl_.is_stopping(); }
Timestamp WorkContext::time() const { return impl_.time(); }

bool WorkContext::available(std::string_view dependency) const { return impl_.may_use(dependency, uses_); }

bool WorkContext::wait_to_try_again(const LocalRetry& policy, const std::exception_ptr& thrown,
                                    Timestamp began, std::size_t tried) const {
  if (tried >= policy.attempts || (policy.retryable && !policy.retryable(thrown))) return false;
  const auto noise = static_cast<std::uint64_t>(delivery_.receipt.lease) ^
                     static_cast<std::uint64_t>(delivery_.receipt.seq) << 24 ^ tried << 48;
  const Duration wait = jittered(worker::backoff(policy.first, policy.max, tried), policy.jitter, noise);
  const Timestamp again = time() + wait;
  if (again - began > policy.within.value_or(impl_.lease())) return false;
  return impl_.wait_until(again, delivery_.receipt);
}

}  // namespace holdfast
