// Deliveries on their way to a client.
#pragma once

#include <utility>

#include "holdfast/engine.h"

namespace holdfast::server {

// The result of a receive. Until taken() is called the deliveries go back to their queue in the end,
// uncharged: the client never saw them. Made on any thread; everything else on the loop's.
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

}  // namespace holdfast::server
