#include "engine/messages/settle.h"

namespace holdfast {

Engine::Impl::Settled Engine::Impl::submit_start(std::span<const Receipt> receipts) {
  return settle(receipts, Durability::kBuffered, {},
                [](Queue& queue, Seq seq, Timestamp time)
                    HOLDFAST_REQUIRES(queue.mutex) { queue.start(seq, time); });
}

std::vector<Result<void>> Engine::start_batch(std::span<const Receipt> receipts) {
  return impl_->blocking_batch(receipts, [&](auto own) { return impl_->submit_start(own); });
}

Result<void> Engine::start(const Receipt& receipt) { return start_batch({&receipt, 1}).front(); }

void Engine::async_start_batch(std::span<const Receipt> receipts, BatchCallback done) {
  impl_->async_batch(receipts, false, std::move(done),
                     [impl = impl_.get()](auto own) { return impl->submit_start(own); });
}

}  // namespace holdfast
