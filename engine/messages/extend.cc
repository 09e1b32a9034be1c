#include "engine/base/validation/validate.h"
#include "engine/messages/settle.h"

namespace holdfast {

Engine::Impl::Settled Engine::Impl::submit_extend(std::span<const Receipt> receipts, Duration lease,
                                                  const ExtendOptions& extend_options) {
  if (auto ok = validate_lease(lease); !ok) return all_refused(receipts.size(), ok.error());
  if (auto ok = validate(extend_options.lets_run_out); !ok) return all_refused(receipts.size(), ok.error());
  const auto said = encode_said(extend_options.lets_run_out);
  return settle_in_steps(receipts, said,
                         [&](Queue& queue, Seq seq, Timestamp time) HOLDFAST_REQUIRES(queue.mutex) {
                           if (said) queue.describe(seq, said, time);
                           queue.extend(seq, time + lease, time);
                         });
}

std::vector<Result<void>> Engine::extend_batch(std::span<const Receipt> receipts, Duration lease,
                                               ExtendOptions options) {
  return impl_->blocking_batch(receipts, [&](auto own) { return impl_->submit_extend(own, lease, options); });
}

Result<void> Engine::extend(const Receipt& receipt, Duration lease, ExtendOptions options) {
  return extend_batch({&receipt, 1}, lease, std::move(options)).front();
}

void Engine::async_extend_batch(std::span<const Receipt> receipts, Duration lease, ExtendOptions options,
                                BatchCallback done) {
  // Of many descriptions the first are committed before the next are taken.
  const bool may_block = receipts.size() > 1 && !options.lets_run_out.empty();
  impl_->async_batch(receipts, may_block, std::move(done),
                     [impl = impl_.get(), lease, options = std::move(options)](auto own) {
                       return impl->submit_extend(own, lease, options);
                     });
}

}  // namespace holdfast
