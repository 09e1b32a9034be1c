#include "engine/base/validation/validate.h"
#include "engine/engine/engine_impl.h"
#include "engine/messages/batch_calls.h"
#include "engine/messages/settler.h"

namespace holdfast {

namespace {

Settled submit(Settler& settler, std::span<const Receipt> receipts, Duration lease,
               const ExtendOptions& options) {
  if (auto ok = validate_lease(lease); !ok) return all_refused(receipts.size(), ok.error());
  if (auto ok = validate(options.lets_run_out); !ok) return all_refused(receipts.size(), ok.error());
  const auto said = encode_said(options.lets_run_out);
  return settler.settle_in_steps(receipts, said,
                                 [&](Queue& queue, Seq seq, Timestamp time) HOLDFAST_REQUIRES(queue.mutex) {
                                   if (said) queue.describe(seq, said, time);
                                   queue.extend(seq, time + lease, time);
                                 });
}

}  // namespace

std::vector<Result<void>> Engine::extend_batch(std::span<const Receipt> receipts, Duration lease,
                                               ExtendOptions options) {
  return impl_->batch_calls.blocking_batch(
      receipts, [&](auto own) { return submit(impl_->settler, own, lease, options); });
}

Result<void> Engine::extend(const Receipt& receipt, Duration lease, ExtendOptions options) {
  return extend_batch({&receipt, 1}, lease, std::move(options)).front();
}

void Engine::async_extend_batch(std::span<const Receipt> receipts, Duration lease, ExtendOptions options,
                                BatchCallback done) {
  // Of many descriptions the first are committed before the next are taken.
  const bool may_block = receipts.size() > 1 && !options.lets_run_out.empty();
  impl_->batch_calls.async_batch(receipts, may_block, std::move(done),
                                 [impl = impl_.get(), lease, options = std::move(options)](auto own) {
                                   return submit(impl->settler, own, lease, options);
                                 });
}

}  // namespace holdfast
