// EngineInside::leased tells which deliveries are still under way. The server asks this for all that its
// clients hold, so it reads nothing from disk, and locks each queue for a bounded time.
#include <algorithm>
#include <iterator>

#include "engine/engine/engine_impl.h"
#include "engine/engine/engine_inside.h"
#include "holdfast/limits.h"

namespace holdfast {

Result<std::vector<Receipt>> EngineInside::leased(const Engine& engine, std::span<const Receipt> receipts) {
  Engine::Impl& impl = *engine.impl_;
  const auto call = impl.calls.begin();
  if (!call) return tl::unexpected(call.error());
  std::vector<Receipt> result;
  result.reserve(receipts.size());
  while (!receipts.empty()) {
    // Receipts of one queue are checked at once, but not so many that the queue's lock is held for long.
    const QueueId id = receipts.front().queue;
    const auto some = receipts.first(std::min(receipts.size(), limits::kBatchEntries));
    const auto others =
        std::ranges::find_if(some, [id](const Receipt& receipt) { return receipt.queue != id; });
    const auto run = some.first(static_cast<std::size_t>(others - some.begin()));
    receipts = receipts.subspan(run.size());
    const auto queue = impl.catalog.find(id);
    if (!queue) continue;
    const LockedQueue locked(impl.pipeline.gate(), *queue);
    std::ranges::copy_if(run, std::back_inserter(result),
                         [&](const Receipt& receipt) HOLDFAST_REQUIRES(queue->mutex) {
                           return queue->state.of(receipt.seq).window().check(receipt.seq, receipt.lease) ==
                                  ReceiptCheck::kValid;
                         });
  }
  return result;
}

}  // namespace holdfast
