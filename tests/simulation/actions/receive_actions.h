// Receives in a simulation, one step at a time.
#pragma once

#include "tests/simulation/run/delivery_log.h"
#include "tests/simulation/run/recovery.h"
#include "tests/simulation/run/run.h"

namespace holdfast::simulation {

class ReceiveActions {
 public:
  ReceiveActions(Run& run, DeliveryLog& deliveries, Recovery& recovery)
      : run_(run), deliveries_(deliveries), recovery_(recovery) {}

  void receive();
  // Takes all ready messages. Returns false if a write failed.
  bool receive_all(const Subject& queue);

 private:
  // These return false if a write failed.
  bool note_received(const char* verb, const Subject& queue, const Result<Deliveries>& answer, bool started);
  bool check_nothing_ready(const Subject& queue);

  Run& run_;
  DeliveryLog& deliveries_;
  Recovery& recovery_;
};

}  // namespace holdfast::simulation
