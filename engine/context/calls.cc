#include "engine/context/calls.h"

namespace holdfast {

// Only close() takes the lock exclusively, once `closing` is set. A call must not wait for it: close() itself
// waits for the callbacks that are still to run, and these may call the engine, on this thread or on that of
// close().
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
