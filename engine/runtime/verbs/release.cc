#include "base/validate.h"
#include "runtime/settle.h"

namespace holdfast {

Engine::Impl::Settled Engine::Impl::submit_release(std::span<const Receipt> receipts,
                                                   const ReleaseOptions& release_options) {
  const auto& [delay, count] = release_options;
  if (auto ok = validate_delay(delay.value_or(Duration{0})); !ok)
    return all_refused(receipts.size(), ok.error());
  bool exhausted = false;
  Settled settled = settle(receipts, Durability::kBuffered, {}, [&](Queue& queue, Seq seq, Timestamp time) {
    const auto visible_at = delay ? std::optional(time + *delay) : std::nullopt;
    exhausted |= queue.state.release(seq, count, visible_at, time);
  });
  if (!exhausted) return settled;
  for_each_queue(catalog, receipts, settled.results, [&](const auto& queue, auto, auto, auto) {
    if (const auto group = bury_exhausted(queue); group && *group) settled.group = **group;
  });
  return settled;
}

std::vector<Result<void>> Engine::release_batch(std::span<const Receipt> receipts, ReleaseOptions options) {
  return impl_->blocking_batch(receipts, [&](auto own) { return impl_->submit_release(own, options); });
}

Result<void> Engine::release(const Receipt& receipt, ReleaseOptions options) {
  return release_batch({&receipt, 1}, options).front();
}

void Engine::async_release_batch(std::span<const Receipt> receipts, ReleaseOptions options,
                                 BatchCallback done) {
  // A message that fails for the last time, or that expired, is read to dead-letter it.
  impl_->async_batch(receipts, true, std::move(done),
                     [impl = impl_.get(), options](auto own) { return impl->submit_release(own, options); });
}

}  // namespace holdfast
