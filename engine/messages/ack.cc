// Engine::ack ends deliveries whose work is done. Its answers can be remembered by a request id, in the write
// that removes the messages, so that a repetition is answered as the first call was.
#include "engine/base/helpers/batch_result.h"
#include "engine/base/validation/validate.h"
#include "engine/dead_letters/retention.h"
#include "engine/engine/engine_impl.h"
#include "engine/messages/batch_calls.h"
#include "engine/messages/settle.h"
#include "engine/messages/settler.h"

namespace holdfast {

namespace {

Result<Settled> submit(Engine::Impl& engine, std::span<const Receipt> receipts, const SettleOptions& options,
                       HeldRequest request) {
  if (auto ok = validate_actor(options.actor); !ok) return tl::unexpected(ok.error());
  const auto content = [&] { return content_of("ack", receipts, options.durability); };
  if (auto ok = begin_request(request, content, engine.clock); !ok) return tl::unexpected(ok.error());
  return engine.settler.settle(receipts, options.durability, std::move(request),
                               [&](Queue& queue, Seq seq, Timestamp time) HOLDFAST_REQUIRES(queue.mutex) {
                                 engine.retention.ack(queue, seq, time, options.actor);
                               });
}

}  // namespace

BatchResult<void> EngineMessageVerbs::ack_batch(std::span<const Receipt> receipts, SettleOptions options) {
  return impl_->batch_calls.blocking_batch(
      receipts, options.request_id,
      [&](auto own, const HeldRequest& request) { return submit(*impl_, own, options, request); });
}

Result<void> EngineMessageVerbs::ack(const Receipt& receipt, SettleOptions options) {
  return only_answer(ack_batch({&receipt, 1}, std::move(options)));
}

void Engine::async_ack_batch(std::span<const Receipt> receipts, SettleOptions options,
                             BatchCallback<void> done) {
  impl_->batch_calls.async_batch(receipts, options.request_id, false, std::move(done),
                                 [impl = impl_.get(), options](auto own, const HeldRequest& request) {
                                   return submit(*impl, own, options, request);
                                 });
}

}  // namespace holdfast
