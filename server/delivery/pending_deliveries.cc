#include "server/delivery/pending_deliveries.h"

namespace holdfast::server {
namespace {

// Errors are ignored: the leases run out anyway.
void give_back(Engine& engine, const std::vector<Receipt>& receipts) {
  if (receipts.empty()) return;
  engine.async_release_batch(receipts, {.charge = false}, [](const BatchResult<void>&) {});
}

}  // namespace

PendingDeliveries::~PendingDeliveries() {
  if (!result_) return;
  std::vector<Receipt> receipts;
  for (const Delivery& delivery : *result_) receipts.push_back(delivery.receipt);
  give_back(engine_, receipts);
}

UnsentDeliveries::~UnsentDeliveries() { give_back(engine_, receipts_); }

}  // namespace holdfast::server
