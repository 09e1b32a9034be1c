// Checks packages: receives, decides, writes it down, settles.
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
  std::function<bool()> stop;  // asked between batches
};

class Worker {
 public:
  Worker(Broker& broker, Ledger& ledger, WorkerOptions options);

  // Works until told to stop, or until an error that does not pass.
  Result<void> run();

 private:
  Result<void> handle(Deliveries deliveries);
  Result<Deliveries> give_back_suspects(Deliveries deliveries);
  Result<void> settle(const Deliveries& deliveries);

  Broker& broker_;
  Ledger& ledger_;
  WorkerOptions options_;
  // A message that was handed out before may be what brought a worker down. Such suspects are taken one by
  // one, so that a crash charges no neighbour for it: otherwise healthy messages that were received beside a
  // poison one run out of deliveries with it.
  bool one_by_one_ = false;
};

}  // namespace holdfast::demo
