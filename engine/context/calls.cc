#include "engine/context/calls.h"

namespace holdfast {

// Only close() holds the lock alone, once `closing` is set. It must not be waited for: it waits itself for
// the callbacks that are still to run, which may call the engine, on this thread or on close()'s own.
Result<Calls::Call> Calls::keep_open() {
  const auto closed = [this] { return closing_.load(std::memory_order_acquire); };
  std::shared_lock lock(mutex_, std::defer_lock);
  if (closed() || !lock.try_lock() || closed()) return fail(ErrorCode::kClosed, "the engine is closed");
  return Call(std::move(lock));
}

Result<Calls::Call> Calls::begin() {
  auto call = keep_open();
  if (!call) return call;
  if (auto healthy = pipeline_.healthy(); !healthy) return tl::unexpected(healthy.error());
  return call;
}

}  // namespace holdfast
