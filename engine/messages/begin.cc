#include "engine/messages/settle.h"

namespace holdfast {

Engine::Impl::Settled Engine::Impl::submit_begin(std::span<const Receipt> receipts) {
  return settle(receipts, Durability::kBuffered, {},
                [](Queue& queue, Seq seq, Timestamp time) { queue.begin(seq, time); });
}

std::vector<Result<void>> Engine::begin_batch(std::span<const Receipt> receipts) {
  return impl_->blocking_batch(receipts, [&](auto own) { return impl_->submit_begin(own); });
}

Result<void> Engine::begin(const Receipt& receipt) { return begin_batch({&receipt, 1}).front(); }

void Engine::async_begin_batch(std::span<const Receipt> receipts, BatchCallback done) {
  impl_->async_batch(receipts, false, std::move(done),
                     [impl = impl_.get()](auto own) { return impl->submit_begin(own); });
}

}  // namespace holdfast
