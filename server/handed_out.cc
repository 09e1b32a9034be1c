#include "server/handed_out.h"

#include <vector>

#include "holdfast/limits.h"

namespace holdfast::server {
namespace {

std::size_t fitting(const Deliveries& deliveries) {
  std::size_t bytes = 0;
  std::size_t count = 0;
  for (const auto& delivery : deliveries) {
    bytes += content_bytes(delivery);
    if (bytes > limits::kBatchBytes && count > 0) break;
    ++count;
  }
  return count;
}

}  // namespace

void HandedOut::fit_reply() {
  if (result_) give_back(fitting(*result_));
}

void HandedOut::give_back(std::size_t from) {
  if (!result_ || from == result_->size()) return;
  std::vector<Receipt> receipts;
  for (std::size_t i = from; i < result_->size(); ++i) receipts.push_back((*result_)[i].receipt);
  result_->resize(from);
  // Whatever comes of it: their leases run out anyway.
  engine_.async_release_batch(receipts, {.count = false}, [](const std::vector<Result<void>>&) {});
}

std::size_t content_bytes(const Delivery& delivery) {
  std::size_t bytes = delivery.body.size();
  for (const auto& [name, value] : delivery.attributes) bytes += name.size() + value.size();
  return bytes;
}

}  // namespace holdfast::server
