// Engine::release ends deliveries whose messages are to come again. Where a message has to move because of
// that, since it dies or goes to the tail, the answer waits for the move as well.
#include "engine/base/helpers/batch_result.h"
#include "engine/engine/engine_impl.h"
#include "engine/messages/batch_calls.h"
#include "engine/messages/releaser.h"
#include "engine/messages/settle.h"

namespace holdfast {

Result<void> check_release(const Queue& queue, Seq seq, const ReleaseOptions& options) {
  if (options.to != ReturnTo::kTail || queue.state.of(seq).may_go_to_tail(seq)) return {};
  const bool ordered = queue.state.grouping() == Grouping::kOrdered;
  return fail(
      ErrorCode::kInvalidArgument,
      "to is tail, but " + (ordered ? "queue '" + queue.name + "' is ordered"
                                    : std::string("the message is a dead letter, which keeps its place")));
}

LaneState::Return return_of(const ReleaseOptions& options, Timestamp time) {
  return {.charge = options.charge,
          .visible_at = options.delay ? std::optional(time + *options.delay) : std::nullopt,
          .to = options.to};
}

BatchResult<void> EngineMessageVerbs::release_batch(std::span<const Receipt> receipts,
                                                    ReleaseOptions options) {
  return impl_->batch_calls.blocking_batch(receipts,
                                           [&](auto own) { return impl_->releaser.release(own, options); });
}

Result<void> EngineMessageVerbs::release(const Receipt& receipt, ReleaseOptions options) {
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
