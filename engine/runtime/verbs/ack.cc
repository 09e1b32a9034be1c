#include "runtime/settle.h"

namespace holdfast {

Engine::Impl::Settled Engine::Impl::submit_ack(std::span<const Receipt> receipts,
                                               const SettleOptions& ack_options) {
  const auto content = content_of("ack", receipts, ack_options.durability).value();
  auto request = Request::begin(requests, ack_options.request_id, content, clock.stored_now());
  if (!request) return all_refused(receipts.size(), request.error());
  return settle(receipts, ack_options.durability, std::move(*request),
                [](Queue& queue, Seq seq, Timestamp time) { queue.ack(seq, time); });
}

std::vector<Result<void>> Engine::ack_batch(std::span<const Receipt> receipts, SettleOptions options) {
  return impl_->blocking_batch(receipts, [&](auto own) { return impl_->submit_ack(own, options); });
}

Result<void> Engine::ack(const Receipt& receipt, SettleOptions options) {
  return ack_batch({&receipt, 1}, options).front();
}

void Engine::async_ack_batch(std::span<const Receipt> receipts, SettleOptions options, BatchCallback done) {
  const bool may_block = !impl_->needs_no_look(options.request_id);
  impl_->async_batch(receipts, may_block, std::move(done),
                     [impl = impl_.get(), options](auto own) { return impl->submit_ack(own, options); });
}

}  // namespace holdfast
