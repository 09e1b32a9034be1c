// The runner does what queues do by themselves about dead letters: automatic redrive, alerts, the brake.
#pragma once

#include <memory>

#include "engine/context/context.h"
#include "engine/dispatch/alert_teller.h"
#include "engine/redrive/auto_redriver.h"

namespace holdfast {

class PolicyRunner {
 public:
  PolicyRunner(EngineContext& engine, AlertTeller& alerts, AutoRedriver& auto_redriver)
      : engine_(engine), alerts_(alerts), auto_redriver_(auto_redriver) {}

  // Does what is due of the queue's policies. Returns the error of what could not be read.
  Result<void> run_policies(const std::shared_ptr<Queue>& queue, Timestamp time)
      HOLDFAST_EXCLUDES(inside_gate);

 private:
  Result<void> judge_alerts(const std::shared_ptr<Queue>& queue, Timestamp time)
      HOLDFAST_EXCLUDES(inside_gate);

  EngineContext& engine_;
  AlertTeller& alerts_;
  AutoRedriver& auto_redriver_;
};

}  // namespace holdfast
