// A step of a simulation in which a receive waits, and what gives it messages.
#pragma once

#include "tests/simulation/actions/machine_actions.h"
#include "tests/simulation/actions/receive_actions.h"
#include "tests/simulation/actions/send_actions.h"
#include "tests/simulation/actions/settle_actions.h"
#include "tests/simulation/run/recovery.h"
#include "tests/simulation/run/run.h"
#include "tests/simulation/run/waiting_receive.h"

namespace holdfast::simulation {

// BesideAWait has the actions that a step with a waiting receive is made of.
struct BesideAWait {
  SendActions& send;
  ReceiveActions& receive;
  SettleActions& settle;
  MachineActions& machine;
};

class WaitActions {
 public:
  WaitActions(Run& run, WaitingReceive& waiting, Recovery& recovery, const BesideAWait& beside)
      : run_(run), waiting_(waiting), recovery_(recovery), beside_(beside) {}

  void wait_for_messages();

 private:
  Run& run_;
  WaitingReceive& waiting_;
  Recovery& recovery_;
  BesideAWait beside_;
};

}  // namespace holdfast::simulation
