#include <set>

#include "engine/base/helpers/batch_result.h"
#include "engine/base/validation/validate.h"
#include "engine/engine/engine_impl.h"
#include "engine/messages/batch_calls.h"
#include "engine/messages/releaser.h"
#include "engine/messages/settle.h"
#include "engine/queue/failures.h"

namespace holdfast {

Result<void> check_release(const Queue& queue, Seq seq, const ReleaseOptions& options) {
  if (options.to != ReturnTo::kTail || queue.state.of(seq).may_go_to_tail(seq)) return {};
  const bool ordered = queue.state.grouping() == Grouping::kOrdered;
  return fail(
      ErrorCode::kInvalidArgument,
      "to is tail, but " + (ordered ? "queue '" + queue.name + "' is ordered"
                                    : std::string("the message is a dead letter, which keeps its place")));
}

QueueState::Return return_of(const ReleaseOptions& options, Timestamp time) {
  return {.charge = options.count,
          .visible_at = options.delay ? std::optional(time + *options.delay) : std::nullopt,
          .to = options.to};
}

Result<Settled> Releaser::release(std::span<const Receipt> receipts, const ReleaseOptions& options) {
  if (auto ok = validate(options); !ok) return tl::unexpected(ok.error());
  const auto said = encode_said(options.failure);
  std::set<QueueId> moving;
  Settled settled = settler_.settle_in_steps(
      receipts, said,
      [&](Queue& queue, Seq seq, Timestamp time) HOLDFAST_REQUIRES(queue.mutex) {
        if (said) queue.describe(seq, said, time);
        if (queue.release(seq, return_of(options, time), time)) moving.insert(queue.id);
      },
      [&](const Queue& queue, Seq seq)
          HOLDFAST_REQUIRES(queue.mutex) { return check_release(queue, seq, options); });
  for (const QueueId id : moving) {
    const auto queue = engine_.catalog.find(id);
    if (!queue) continue;  // the queue was deleted meanwhile, with the released messages
    if (const auto moved = mover_.dead_letter_exhausted(queue); moved && moved->last)
      settled.group = *moved->last;
    if (const auto group = schedule_mover_.return_to_tail(queue)) settled.group = *group;
  }
  return settled;
}

BatchResult<void> Engine::release_batch(std::span<const Receipt> receipts, ReleaseOptions options) {
  return impl_->batch_calls.blocking_batch(receipts,
                                           [&](auto own) { return impl_->releaser.release(own, options); });
}

Result<void> Engine::release(const Receipt& receipt, ReleaseOptions options) {
  return only_answer(release_batch({&receipt, 1}, std::move(options)));
}

void Engine::async_release_batch(std::span<const Receipt> receipts, ReleaseOptions options,
                                 BatchCallback<void> done) {
  // A message that fails for the last time, or that expired, is read to dead-letter it.
  impl_->batch_calls.async_batch(receipts, true, std::move(done),
                                 [impl = impl_.get(), options = std::move(options)](auto own) {
                                   return impl->releaser.release(own, options);
                                 });
}

}  // namespace holdfast
