// Simulation is a seeded workload on a seeded set of queues, over a simulated machine with seeded faults,
// with an audit after every step. The same seed does the same.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tests/simulation/actions/dead_letter_actions.h"
#include "tests/simulation/actions/machine_actions.h"
#include "tests/simulation/actions/queue_actions.h"
#include "tests/simulation/actions/receive_actions.h"
#include "tests/simulation/actions/repeats.h"
#include "tests/simulation/actions/send_actions.h"
#include "tests/simulation/actions/settle_actions.h"
#include "tests/simulation/actions/transactions.h"
#include "tests/simulation/actions/wait_actions.h"
#include "tests/simulation/audit.h"
#include "tests/simulation/run/calls.h"
#include "tests/simulation/run/delivery_log.h"
#include "tests/simulation/run/recovery.h"
#include "tests/simulation/run/run.h"
#include "tests/simulation/run/sent_messages.h"
#include "tests/simulation/run/waiting_receive.h"
#include "tests/simulation/shrink.h"
#include "tests/simulation/world/world.h"

namespace holdfast::simulation {

class Simulation {
 public:
  using Mark = simulation::Mark;
  using Marks = simulation::Marks;

  // If `breaks` is true, the simulation itself lets writes fail, and processes and machines die.
  explicit Simulation(std::uint64_t seed,
                      const MakeWorld& make_world = std::make_unique<MemoryWorld, std::uint64_t>,
                      bool breaks = true);

  // These functions throw Violation at the first broken promise.
  void run(const Steps& steps);
  void work(const Steps& steps);
  // Receives and looks at everything that is left: nothing is missing, nothing is double, and everything
  // ends.
  void drain() { audit_.drain(); }

  std::string event_record() const { return run_.record.text(); }
  const Marks& marks() const { return run_.marks; }

 private:
  void step(std::uint64_t number);

  Run run_;
  DeliveryLog deliveries_{run_};
  WaitingReceive waiting_{run_, deliveries_};
  Recovery recovery_{run_, waiting_};
  Calls calls_{run_};
  SentMessages sent_{run_, recovery_};

  Repeats repeats_{run_, recovery_, calls_, sent_};
  SendActions send_{run_, recovery_, calls_, sent_, repeats_};
  ReceiveActions receive_{run_, deliveries_, recovery_};
  SettleActions settle_{run_, deliveries_, recovery_, calls_, repeats_};
  DeadLetterActions dead_{run_, recovery_, calls_, repeats_};
  QueueActions queues_{run_, deliveries_, recovery_, sent_, dead_};
  Transactions transactions_{run_, deliveries_, recovery_, calls_, sent_};
  MachineActions machine_{run_, waiting_, recovery_, repeats_};
  WaitActions wait_{run_, waiting_, recovery_, {send_, receive_, settle_, machine_}};
  Audit audit_{run_, deliveries_, recovery_, dead_, transactions_};
};

}  // namespace holdfast::simulation
