#include "engine/base/validation/validate.h"
#include "engine/dead_letters/retention.h"
#include "engine/engine/engine_impl.h"
#include "engine/messages/batch_calls.h"
#include "engine/messages/settle.h"
#include "engine/messages/settler.h"

namespace holdfast {

namespace {

Settled submit(Engine::Impl& engine, std::span<const Receipt> receipts, const SettleOptions& options,
               HeldRequest request) {
  if (auto ok = validate_actor(options.actor); !ok) return all_refused(receipts.size(), ok.error());
  if (request)
    request.begin(content_of("ack", receipts, options.durability).value(), engine.clock.stored_now());
  return engine.settler.settle(receipts, options.durability, std::move(request),
                               [&](Queue& queue, Seq seq, Timestamp time) HOLDFAST_REQUIRES(queue.mutex) {
                                 engine.retention.ack(queue, seq, time, options.actor);
                               });
}

}  // namespace

std::vector<Result<void>> Engine::ack_batch(std::span<const Receipt> receipts, SettleOptions options) {
  return impl_->batch_calls.blocking_batch(
      receipts, options.request_id,
      [&](auto own, const HeldRequest& request) { return submit(*impl_, own, options, request); });
}

Result<void> Engine::ack(const Receipt& receipt, SettleOptions options) {
  return ack_batch({&receipt, 1}, options).front();
}

void Engine::async_ack_batch(std::span<const Receipt> receipts, SettleOptions options, BatchCallback done) {
  impl_->batch_calls.async_batch(receipts, options.request_id, false, std::move(done),
                                 [impl = impl_.get(), options](auto own, const HeldRequest& request) {
                                   return submit(*impl, own, options, request);
                                 });
}

}  // namespace holdfast
