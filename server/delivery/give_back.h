// Deliveries that nobody has started go back to their queue.
#pragma once

#include <vector>

#include "holdfast/engine.h"
#include "server/delivery/prefetched_deliveries.h"

namespace holdfast::server {

// Of what PrefetchedDeliveries says is the caller's to give back. Uncharged. Whatever comes of it: their
// leases run out anyway.
void give_back(Engine& engine, const PrefetchedDeliveries& prefetched, const std::vector<Receipt>& receipts);

}  // namespace holdfast::server
