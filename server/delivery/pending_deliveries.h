// Deliveries on their way to a client.
#pragma once

#include <utility>

#include "holdfast/engine.h"

namespace holdfast::server {

// The result of a receive. Unless taken() is called, the destructor gives the deliveries back to their queue,
// uncharged: the client never saw them. An object may be made on any thread; everything else is for the
// loop's thread.
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
