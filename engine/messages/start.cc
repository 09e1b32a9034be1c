// Engine::start tells that work on prefetched deliveries begins. It is written without a sync: if a crash
// forgets it, the delivery is not charged, and the message comes again.
#include "engine/base/helpers/batch_result.h"
#include "engine/engine/engine_impl.h"
#include "engine/messages/batch_calls.h"
#include "engine/messages/settler.h"

namespace holdfast {

namespace {

Settled submit(Settler& settler, std::span<const Receipt> receipts) {
  return settler.settle(receipts, Durability::kBuffered, {},
                        [](Queue& queue, Seq seq, Timestamp time)
                            HOLDFAST_REQUIRES(queue.mutex) { queue.start(seq, time); });
}

}  // namespace

BatchResult<void> EngineMessageVerbs::start_batch(std::span<const Receipt> receipts) {
  return impl_->batch_calls.blocking_batch(receipts, [&](auto own) { return submit(impl_->settler, own); });
}

Result<void> EngineMessageVerbs::start(const Receipt& receipt) {
  return only_answer(start_batch({&receipt, 1}));
}

void Engine::async_start_batch(std::span<const Receipt> receipts, BatchCallback<void> done) {
  impl_->batch_calls.async_batch(receipts, false, std::move(done),
                                 [impl = impl_.get()](auto own) { return submit(impl->settler, own); });
}

}  // namespace holdfast
