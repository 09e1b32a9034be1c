#include "server/handed_out.h"

#include <vector>

namespace holdfast::server {

HandedOut::~HandedOut() {
  if (!result_ || result_->empty()) return;
  std::vector<Receipt> receipts;
  for (const Delivery& delivery : *result_) receipts.push_back(delivery.receipt);
  // Whatever comes of it: their leases run out anyway.
  engine_.async_release_batch(receipts, {.count = false}, [](const std::vector<Result<void>>&) {});
}

std::size_t content_bytes(const Delivery& delivery) {
  std::size_t bytes = delivery.body.size();
  for (const auto& [name, value] : delivery.attributes) bytes += name.size() + value.size();
  return bytes;
}

}  // namespace holdfast::server
