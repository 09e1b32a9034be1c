// Checks packages: it receives them, decides, writes the decision down, and settles.
#pragma once

#include <functional>
#include <string>

#include "holdfast/broker.h"
#include "tools/examples/demo/ledger.h"
#include "tools/examples/demo/packages/rules.h"

namespace holdfast::demo {

struct WorkerOptions {
  Consumer consumer;
  Rules rules;
  std::function<bool()> stop;  // called between batches
};

class Worker {
 public:
  Worker(Broker& broker, Ledger& ledger, WorkerOptions options);

  // Works until `stop` returns true, or until an error that does not pass.
  Result<void> run();

 private:
  Result<void> handle(Deliveries deliveries);
  Result<Deliveries> give_back_suspects(Deliveries deliveries);
  Result<void> settle(const Deliveries& deliveries);

  Broker& broker_;
  Ledger& ledger_;
  WorkerOptions options_;
  // Whether messages are taken one by one. A message that was handed out before may have brought a worker
  // down. Such suspects are taken alone, so that a crash charges only the message that causes it: otherwise
  // healthy messages that are received together with it would run out of deliveries too.
  bool one_by_one_ = false;
};

}  // namespace holdfast::demo
