// This header handles deliveries on their way to a client.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "holdfast/engine.h"

namespace holdfast::server {

// PendingDeliveries is the result of a receive. Unless taken() is called, the destructor gives the
// deliveries back to their queue, uncharged: the client never saw them. An object may be made on any thread;
// everything else is for the loop's thread.
class PendingDeliveries {
 public:
  PendingDeliveries(Engine& engine, Result<Deliveries> result)
      : engine_(engine), result_(std::move(result)) {}
  ~PendingDeliveries();
  PendingDeliveries(const PendingDeliveries&) = delete;
  PendingDeliveries& operator=(const PendingDeliveries&) = delete;

  const Result<Deliveries>& result() const { return result_; }
  void taken() { result_->clear(); }

 private:
  Engine& engine_;
  Result<Deliveries> result_;
};

// Deliveries whose answer is being sent. Those of which sent() was not told are given back to their queue by
// the destructor, uncharged: the client cannot have read their whole answer. Only the loop's thread uses it.
class UnsentDeliveries {
 public:
  UnsentDeliveries(Engine& engine, std::vector<Receipt> receipts)
      : engine_(engine), receipts_(std::move(receipts)) {}
  ~UnsentDeliveries();
  UnsentDeliveries(const UnsentDeliveries&) = delete;
  UnsentDeliveries& operator=(const UnsentDeliveries&) = delete;

  // Notes that the operating system has the whole answer.
  void sent() { receipts_.clear(); }
  // Notes that the operating system has no more of the answer than the first `count` deliveries, whole.
  void sent(std::size_t count) {
    receipts_.erase(receipts_.begin(), receipts_.begin() + static_cast<std::ptrdiff_t>(count));
  }

 private:
  Engine& engine_;
  std::vector<Receipt> receipts_;
};

}  // namespace holdfast::server
