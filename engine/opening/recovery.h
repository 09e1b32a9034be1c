// Reads the catalog, the window and the unfinished tasks when an engine opens. It never reads the messages.
#pragma once

#include <map>
#include <memory>

#include "engine/codec/rows/catalog_rows.h"
#include "engine/context/context.h"
#include "engine/dead_letters/retention.h"

namespace holdfast {

// No other thread exists yet. So locks are taken only where a check asks for them, and the analysis of locks
// is off.
class Recovery {
 public:
  Recovery(EngineContext& engine, Retention& retention) : engine_(engine), retention_(retention) {}

  // Reads what is stored into the engine, and makes the epoch of this opening durable. kCorruption,
  // kFormatTooNew, kLimitExceeded, kStorageFailed.
  Result<void> recover() HOLDFAST_NOT_ANALYSED;

 private:
  Result<void> check_format(bool& fresh);
  Result<void> check_empty();
  Result<void> recover_queues() HOLDFAST_NOT_ANALYSED;
  using Checkpoints = std::map<QueueId, QueueCheckpoint>;
  Result<void> read_checkpoints(Checkpoints& checkpoints);
  // Adds the queues to the catalog, each as its checkpoint says.
  Result<void> add_queues(Checkpoints& checkpoints);
  // Connects the queue with those that its options name. All queues are in the catalog.
  Result<void> find_targets(Queue& queue) HOLDFAST_NOT_ANALYSED;
  Result<void> recover_dedup(Queue& queue) HOLDFAST_NOT_ANALYSED;
  Result<void> recover_window() HOLDFAST_NOT_ANALYSED;
  Result<void> recover_schedule(Queue& queue) HOLDFAST_NOT_ANALYSED;
  void look_for_space(const std::shared_ptr<Queue>& queue) HOLDFAST_NOT_ANALYSED;
  // Reads the tasks. A function of a task ended with the process that had it, so a running task that needs
  // one is interrupted, and its row is put into `changes`.
  Result<void> recover_tasks(Batch& changes);
  Result<void> recover_families();

  EngineContext& engine_;
  Retention& retention_;
};

}  // namespace holdfast
