// Sends in a simulation, one step at a time.
#pragma once

#include "tests/simulation/actions/repeats.h"
#include "tests/simulation/run/calls.h"
#include "tests/simulation/run/recovery.h"
#include "tests/simulation/run/run.h"
#include "tests/simulation/run/sent_messages.h"

namespace holdfast::simulation {

class SendActions {
 public:
  SendActions(Run& run, Recovery& recovery, Calls& calls, SentMessages& sent, Repeats& repeats)
      : run_(run), recovery_(recovery), calls_(calls), sent_(sent), repeats_(repeats) {}

  void send();
  void send_to(const Subject& queue);

 private:
  void send_known_body(const Subject& queue);

  Run& run_;
  Recovery& recovery_;
  Calls& calls_;
  SentMessages& sent_;
  Repeats& repeats_;
};

}  // namespace holdfast::simulation
