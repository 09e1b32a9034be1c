// Engine::subscribe bounds what may wait for a subscriber. One that is too slow misses events and is told how
// many, and the engine never waits for it.
#include "engine/engine/engine_impl.h"
#include "holdfast/limits.h"

namespace holdfast {

Result<Subscription> Engine::subscribe(EventFilter filter, EventCallback callback) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  if (!callback) return fail(ErrorCode::kInvalidArgument, "the callback is empty");
  if (filter.buffer == 0) return fail(ErrorCode::kInvalidArgument, "buffer must be at least 1");
  if (filter.buffer > limits::kEventBuffer) {
    return fail(ErrorCode::kLimitExceeded, "buffer is " + std::to_string(filter.buffer) + ", the limit is " +
                                               std::to_string(limits::kEventBuffer));
  }
  return impl_->events.subscribe(std::move(filter), std::move(callback));
}

}  // namespace holdfast
