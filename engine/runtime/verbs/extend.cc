#include "base/validate.h"
#include "runtime/settle.h"

namespace holdfast {

Engine::Impl::Settled Engine::Impl::submit_extend(std::span<const Receipt> receipts, Duration lease) {
  if (auto ok = validate_lease(lease); !ok) return all_refused(receipts.size(), ok.error());
  return settle(receipts, Durability::kBuffered, {},
                [lease](Queue& queue, Seq seq, Timestamp time) { queue.extend(seq, time + lease, time); });
}

std::vector<Result<void>> Engine::extend_batch(std::span<const Receipt> receipts, Duration lease) {
  return impl_->blocking_batch(receipts, [&](auto own) { return impl_->submit_extend(own, lease); });
}

Result<void> Engine::extend(const Receipt& receipt, Duration lease) {
  return extend_batch({&receipt, 1}, lease).front();
}

void Engine::async_extend_batch(std::span<const Receipt> receipts, Duration lease, BatchCallback done) {
  impl_->async_batch(receipts, false, std::move(done),
                     [impl = impl_.get(), lease](auto own) { return impl->submit_extend(own, lease); });
}

}  // namespace holdfast
