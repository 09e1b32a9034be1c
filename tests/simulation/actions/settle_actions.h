// SettleActions are what becomes of deliveries in a simulation, one step at a time.
#pragma once

#include <vector>

#include "tests/simulation/actions/repeats.h"
#include "tests/simulation/run/calls.h"
#include "tests/simulation/run/delivery_log.h"
#include "tests/simulation/run/recovery.h"
#include "tests/simulation/run/run.h"

namespace holdfast::simulation {

class SettleActions {
 public:
  SettleActions(Run& run, DeliveryLog& deliveries, Recovery& recovery, Calls& calls, Repeats& repeats)
      : run_(run), deliveries_(deliveries), recovery_(recovery), calls_(calls), repeats_(repeats) {}

  void settle();
  void extend();

 private:
  struct Settlement;

  Settlement any_settlement();
  bool has_no_tail(const Receipt& receipt) const;
  // Returns whether the settlement is on disk once it is answered.
  bool is_fsynced(const Settlement& settlement, const Receipt& receipt) const;
  void note_settled(const Settlement& settlement, const std::vector<Receipt>& receipts,
                    const std::vector<Result<void>>& answers);
  void note_outcome(const Settlement& settlement, const Receipt& receipt, const Result<void>& answer);

  Run& run_;
  DeliveryLog& deliveries_;
  Recovery& recovery_;
  Calls& calls_;
  Repeats& repeats_;
};

}  // namespace holdfast::simulation
