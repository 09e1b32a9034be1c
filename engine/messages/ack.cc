#include "engine/base/validation/validate.h"
#include "engine/messages/settle.h"

namespace holdfast {

Engine::Impl::Settled Engine::Impl::submit_ack(std::span<const Receipt> receipts,
                                               const SettleOptions& ack_options, HeldRequest request) {
  if (auto ok = validate_actor(ack_options.actor); !ok) return all_refused(receipts.size(), ok.error());
  if (request) request.begin(content_of("ack", receipts, ack_options.durability).value(), clock.stored_now());
  return settle(receipts, ack_options.durability, std::move(request),
                [&](Queue& queue, Seq seq, Timestamp time)
                    HOLDFAST_REQUIRES(queue.mutex) { ack(queue, seq, time, ack_options.actor); });
}

std::vector<Result<void>> Engine::ack_batch(std::span<const Receipt> receipts, SettleOptions options) {
  return impl_->blocking_batch(receipts, options.request_id, [&](auto own, const HeldRequest& request) {
    return impl_->submit_ack(own, options, request);
  });
}

Result<void> Engine::ack(const Receipt& receipt, SettleOptions options) {
  return ack_batch({&receipt, 1}, options).front();
}

void Engine::async_ack_batch(std::span<const Receipt> receipts, SettleOptions options, BatchCallback done) {
  impl_->async_batch(receipts, options.request_id, false, std::move(done),
                     [impl = impl_.get(), options](auto own, const HeldRequest& request) {
                       return impl->submit_ack(own, options, request);
                     });
}

}  // namespace holdfast
