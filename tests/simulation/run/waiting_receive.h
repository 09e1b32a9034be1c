// A receive that waits for messages, if there is one.
#pragma once

#include <memory>

#include "tests/simulation/run/handed_out.h"
#include "tests/simulation/run/run.h"

namespace holdfast::simulation {

class WaitingReceive {
 public:
  WaitingReceive(Run& run, HandedOut& handed_out) : run_(run), handed_out_(handed_out) {}

  Engine::ReceiveToken start(const Subject& queue);
  bool waits() const { return wait_ != nullptr; }
  // Notes what a waiting receive was given, if one waits. Returns false if a write failed.
  bool end_wait();

 private:
  struct Wait;

  Run& run_;
  HandedOut& handed_out_;
  std::shared_ptr<Wait> wait_;
};

}  // namespace holdfast::simulation
