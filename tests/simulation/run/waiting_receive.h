// WaitingReceive is a receive that waits for messages, if there is one.
#pragma once

#include <memory>

#include "tests/simulation/run/delivery_log.h"
#include "tests/simulation/run/run.h"

namespace holdfast::simulation {

class WaitingReceive {
 public:
  WaitingReceive(Run& run, DeliveryLog& deliveries) : run_(run), deliveries_(deliveries) {}

  Engine::ReceiveToken start(const Subject& queue);
  bool waits() const { return wait_ != nullptr; }
  // Notes what a waiting receive was given, if one waits. Returns false if a write failed.
  bool end_wait();

 private:
  struct Wait;

  Run& run_;
  DeliveryLog& deliveries_;
  std::shared_ptr<Wait> wait_;
};

}  // namespace holdfast::simulation
