// Deliveries on their way to a client.
#pragma once

#include <utility>

#include "holdfast/engine.h"

namespace holdfast::server {

// The result of a receive. Until taken() is called the deliveries go back to their queue in the end,
// uncharged: the client never saw them. Made on any thread; everything else on the loop's.
class HandedOut {
 public:
  HandedOut(Engine& engine, Result<Deliveries> result) : engine_(engine), result_(std::move(result)) {}
  ~HandedOut() { give_back(0); }
  HandedOut(const HandedOut&) = delete;
  HandedOut& operator=(const HandedOut&) = delete;

  // Keeps what fits into one reply, at least one delivery if there is one; the rest goes back now.
  void fit_reply();

  const Result<Deliveries>& result() const { return result_; }
  void taken() { result_->clear(); }

 private:
  void give_back(std::size_t from);

  Engine& engine_;
  Result<Deliveries> result_;
};

// Bodies and attributes of one delivery.
std::size_t content_bytes(const Delivery& delivery);

}  // namespace holdfast::server
