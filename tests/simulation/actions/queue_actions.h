// QueueActions change whole queues of a simulation, and look at what is there, one step at a time.
#pragma once

#include "tests/simulation/actions/dead_letter_actions.h"
#include "tests/simulation/run/delivery_log.h"
#include "tests/simulation/run/recovery.h"
#include "tests/simulation/run/run.h"
#include "tests/simulation/run/sent_messages.h"

namespace holdfast::simulation {

class QueueActions {
 public:
  QueueActions(Run& run, DeliveryLog& deliveries, Recovery& recovery, SentMessages& sent,
               DeadLetterActions& dead)
      : run_(run), deliveries_(deliveries), recovery_(recovery), sent_(sent), dead_(dead) {}

  void look();
  void pause();
  void alter();
  void come_and_go();

 private:
  // Checks that the leases that are there are shown, and no others.
  void check_leased();
  void purge();

  Run& run_;
  DeliveryLog& deliveries_;
  Recovery& recovery_;
  SentMessages& sent_;
  DeadLetterActions& dead_;
};

}  // namespace holdfast::simulation
