#include "server/delivery/pending_deliveries.h"

#include <vector>

namespace holdfast::server {

PendingDeliveries::~PendingDeliveries() {
  if (!result_ || result_->empty()) return;
  std::vector<Receipt> receipts;
  for (const Delivery& delivery : *result_) receipts.push_back(delivery.receipt);
  // Errors are ignored: the leases run out anyway.
  engine_.async_release_batch(receipts, {.count = false}, [](const BatchResult<void>&) {});
}

}  // namespace holdfast::server
