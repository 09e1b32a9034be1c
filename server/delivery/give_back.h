// Gives deliveries that nobody has started back to their queue.
#pragma once

#include <vector>

#include "holdfast/engine.h"
#include "server/delivery/prefetched_deliveries.h"

namespace holdfast::server {

// Releases the receipts, uncharged. They must be those that PrefetchedDeliveries has left to the caller.
// Errors are ignored: the leases run out anyway.
void give_back(Engine& engine, const PrefetchedDeliveries& prefetched, const std::vector<Receipt>& receipts);

}  // namespace holdfast::server
