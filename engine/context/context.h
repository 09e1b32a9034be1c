// The context has what all calls of an engine share: the store, the pipeline that writes it, the clock, the
// catalog of queues, and the services. It knows none of the calls, so code that needs no more than the
// context can be read, and tested, without them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "engine/codec/rows/catalog_rows.h"
#include "engine/commit/commit_pipeline.h"
#include "engine/context/calls.h"
#include "engine/context/chunk_loader.h"
#include "engine/context/locked_queues.h"
#include "engine/policies/events.h"
#include "engine/queue/catalog.h"
#include "engine/queue/scheduler.h"
#include "engine/redrive/tasks/job.h"
#include "engine/services/application_families.h"
#include "engine/services/archiving.h"
#include "engine/services/background_thread.h"
#include "engine/services/call_pool.h"
#include "engine/services/chunk_cache.h"
#include "engine/services/engine_clock.h"
#include "engine/services/id_source.h"
#include "engine/services/reclaimer.h"
#include "engine/services/requests.h"
#include "engine/services/space_watch.h"
#include "engine/storage/store.h"
#include "engine/sync/mutex.h"
#include "holdfast/engine.h"

namespace holdfast {

struct EngineContext {
  EngineContext(std::unique_ptr<Store> store_to_own, EngineOptions engine_options);

  // The engine waits this long before it tries again to read something that is due and could not be read.
  static constexpr Duration kPauseAfterError = std::chrono::seconds(1);

  // Returns the engine's time (services/engine_clock.h).
  Timestamp now() { return clock.now(); }

  std::unique_ptr<Store> store;
  const EngineOptions options;
  EngineClock clock;
  SpaceWatch space;
  ChunkCache cache;
  CommitPipeline pipeline;
  ChunkLoader chunk_loader;
  Reclaimer reclaimer;
  EventHub events;
  Requests requests;
  BackgroundThread background;
  CallPool call_pool;
  Catalog catalog;
  ApplicationFamilies families;
  Scheduler scheduler;
  std::unique_ptr<IdSource> ids;

  // Serialises changes of the catalog. It is held across their commits, which are rare.
  sync::Mutex catalog_mutex;
  AllocationRow allocation HOLDFAST_GUARDED_BY(catalog_mutex);

  RedriveJobs tasks;

  sync::Mutex backup_mutex;

  Archiving archiving;
  BackgroundThread archive_thread;  // where retention waits for the archive

  std::atomic<std::uint64_t> next_waiter_token = 1;
  std::atomic<bool> closing = false;
  Calls calls{pipeline, closing};
  Timestamp opened_at{};
};

}  // namespace holdfast
