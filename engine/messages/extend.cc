// Engine::extend renews leases, counted from the call. A consumer that expects to let one run out may say
// why. This is stored with the new lease, and describes the failure if the lease does run out.
#include "engine/base/helpers/batch_result.h"
#include "engine/base/validation/validate.h"
#include "engine/engine/engine_impl.h"
#include "engine/messages/batch_calls.h"
#include "engine/messages/settler.h"
#include "engine/queue/failures.h"

namespace holdfast {

namespace {

Result<Settled> submit(Settler& settler, std::span<const Receipt> receipts, Duration lease,
                       const ExtendOptions& options) {
  if (auto ok = validate_lease(lease); !ok) return tl::unexpected(ok.error());
  if (auto ok = validate(options.lets_run_out); !ok) return tl::unexpected(ok.error());
  const auto said = encode_said(options.lets_run_out);
  return settler.settle_in_steps(receipts, said,
                                 [&](Queue& queue, Seq seq, Timestamp time) HOLDFAST_REQUIRES(queue.mutex) {
                                   if (said) queue.describe(seq, said, time);
                                   queue.extend(seq, time + lease, time);
                                 });
}

}  // namespace

BatchResult<void> EngineMessageVerbs::extend_batch(std::span<const Receipt> receipts, Duration lease,
                                                   ExtendOptions options) {
  return impl_->batch_calls.blocking_batch(
      receipts, [&](auto own) { return submit(impl_->settler, own, lease, options); });
}

Result<void> EngineMessageVerbs::extend(const Receipt& receipt, Duration lease, ExtendOptions options) {
  return only_answer(extend_batch({&receipt, 1}, lease, std::move(options)));
}

void Engine::async_extend_batch(std::span<const Receipt> receipts, Duration lease, ExtendOptions options,
                                BatchCallback<void> done) {
  // Of many descriptions the first are committed before the next are taken.
  const bool may_block = receipts.size() > 1 && !options.lets_run_out.empty();
  impl_->batch_calls.async_batch(receipts, may_block, std::move(done),
                                 [impl = impl_.get(), lease, options = std::move(options)](auto own) {
                                   return submit(impl->settler, own, lease, options);
                                 });
}

}  // namespace holdfast
