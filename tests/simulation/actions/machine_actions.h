// MachineActions are what happens to a simulation's machine, step by step: time passes, and things break.
#pragma once

#include "tests/simulation/actions/repeats.h"
#include "tests/simulation/run/recovery.h"
#include "tests/simulation/run/run.h"
#include "tests/simulation/run/waiting_receive.h"

namespace holdfast::simulation {

class MachineActions {
 public:
  MachineActions(Run& run, WaitingReceive& waiting, Recovery& recovery, Repeats& repeats)
      : run_(run), waiting_(waiting), recovery_(recovery), repeats_(repeats) {}

  void pass_time();
  void do_due();
  void break_something();

 private:
  void stand_still();
  void idle();
  void check_asks_in_time(Timestamp next);

  Run& run_;
  WaitingReceive& waiting_;
  Recovery& recovery_;
  Repeats& repeats_;
};

}  // namespace holdfast::simulation
