// Checks what must hold after every step of a simulation, and at the end.
#pragma once

#include <vector>

#include "tests/simulation/actions/dead_letter_actions.h"
#include "tests/simulation/actions/transactions.h"
#include "tests/simulation/run/delivery_log.h"
#include "tests/simulation/run/recovery.h"
#include "tests/simulation/run/run.h"

namespace holdfast::simulation {

class Audit {
 public:
  Audit(Run& run, DeliveryLog& deliveries, Recovery& recovery, DeadLetterActions& dead,
        Transactions& transactions)
      : run_(run), deliveries_(deliveries), recovery_(recovery), dead_(dead), transactions_(transactions) {}

  // These functions throw Violation at the first broken promise. audit() is for after a step.
  void audit();
  void drain();

 private:
  std::vector<QueueInfo> queue_infos();
  void verify();
  void run_until_quiet();
  // Returns false if there was nothing to take out.
  bool drain_queues();
  void take_out(const Delivery& delivery);

  Run& run_;
  DeliveryLog& deliveries_;
  Recovery& recovery_;
  DeadLetterActions& dead_;
  Transactions& transactions_;
};

}  // namespace holdfast::simulation
