// Opening: reads the catalog, the window and the unfinished tasks; never the messages.
#pragma once

#include <memory>

#include "engine/context/context.h"
#include "engine/dead_letters/retention.h"
#include "engine/dispatch/alert_teller.h"

namespace holdfast {

// No other thread is there yet, so nothing is locked, and the analysis of locks is off.
class Recovery {
 public:
  Recovery(EngineContext& engine, AlertTeller& alerts, Retention& retention)
      : engine_(engine), alerts_(alerts), retention_(retention) {}

  // Reads what is stored into the engine, and makes this opening's epoch durable. kCorruption, kFormatTooNew,
  // kLimitExceeded, kStorageFailed.
  Result<void> recover() HOLDFAST_NOT_ANALYSED;

 private:
  Result<void> check_format(bool& fresh);
  Result<void> check_empty();
  Result<void> recover_queues() HOLDFAST_NOT_ANALYSED;
  Result<void> recover_dedup(Queue& queue) HOLDFAST_NOT_ANALYSED;
  Result<void> recover_window() HOLDFAST_NOT_ANALYSED;
  Result<void> recover_schedule(Queue& queue) HOLDFAST_NOT_ANALYSED;
  void look_for_space(const std::shared_ptr<Queue>& queue) HOLDFAST_NOT_ANALYSED;
  // Functions of tasks ended with the process: what that changes is put into `changes`.
  Result<void> recover_tasks(Batch& changes);
  Result<void> recover_families();

  EngineContext& engine_;
  AlertTeller& alerts_;
  Retention& retention_;
};

}  // namespace holdfast
