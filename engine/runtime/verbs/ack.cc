#include "runtime/settle.h"

namespace holdfast {

Engine::Impl::Settled Engine::Impl::submit_ack(std::span<const Receipt> receipts,
                                               const SettleOptions& ack_options) {
  return settle(receipts, ack_options.durability,
                [](Queue& queue, Seq seq, Timestamp) { queue.state.ack(seq); });
}

std::vector<Result<void>> Engine::ack_batch(std::span<const Receipt> receipts, SettleOptions options) {
  return impl_->blocking_batch(receipts, [&] { return impl_->submit_ack(receipts, options); });
}

Result<void> Engine::ack(const Receipt& receipt, SettleOptions options) {
  return ack_batch({&receipt, 1}, options).front();
}

void Engine::async_ack_batch(std::span<const Receipt> receipts, SettleOptions options, BatchCallback done) {
  impl_->async_batch(receipts, std::move(done), [&] { return impl_->submit_ack(receipts, options); });
}

}  // namespace holdfast
