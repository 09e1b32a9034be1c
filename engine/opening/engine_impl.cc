// These functions build, start and end an engine.
#include "engine/engine/engine_impl.h"

#include <algorithm>
#include <utility>

#include "engine/dead_letters/dead_letter_mover.h"
#include "engine/dead_letters/retention.h"
#include "engine/dispatch/alert_teller.h"
#include "engine/dispatch/dispatcher.h"
#include "engine/messages/batch_calls.h"
#include "engine/messages/receiver.h"
#include "engine/messages/releaser.h"
#include "engine/messages/settler.h"
#include "engine/opening/recovery.h"
#include "engine/redrive/auto_redriver.h"
#include "engine/redrive/redriver.h"
#include "engine/redrive/task_stepper.h"
#include "engine/upkeep/chunk_compactor.h"
#include "engine/upkeep/due_work.h"
#include "engine/upkeep/expirer.h"
#include "engine/upkeep/policy_runner.h"
#include "engine/upkeep/room_maker.h"
#include "engine/upkeep/schedule_mover.h"

namespace holdfast {

// Each service stands after those that it uses.
struct Engine::Impl::Services {
  explicit Services(EngineContext& context) : engine(context) {}

  EngineContext& engine;
  AlertTeller alert_teller{engine};
  Dispatcher dispatcher{engine, alert_teller};
  Retention retention{engine, dispatcher};
  DeadLetterMover mover{engine, alert_teller, dispatcher, retention};
  TaskStepper task_stepper{engine, dispatcher, retention};
  Redriver redriver{engine, task_stepper};
  AutoRedriver auto_redriver{engine, retention, task_stepper};
  ScheduleMover schedule_mover{engine, dispatcher};
  Expirer expirer{engine, dispatcher, mover};
  RoomMaker room_maker{engine, mover};
  ChunkCompactor compactor{engine};
  PolicyRunner policies{engine, alert_teller, auto_redriver};
  DueWork due_work{
      engine, {dispatcher, retention, mover, task_stepper, expirer, schedule_mover, compactor, policies}};
  BatchCalls batch_calls{engine};
  Settler settler{engine, dispatcher};
  Releaser releaser{engine, settler, mover, schedule_mover};
  Receiver receiver{engine, dispatcher, mover, expirer, releaser};
};

Engine::Impl::Impl(std::unique_ptr<Store> store_to_own, EngineOptions engine_options)
    : EngineContext(std::move(store_to_own), std::move(engine_options)),
      services_(std::make_unique<Services>(*this)),
      alert_teller(services_->alert_teller),
      dispatcher(services_->dispatcher),
      retention(services_->retention),
      mover(services_->mover),
      redriver(services_->redriver),
      schedule_mover(services_->schedule_mover),
      room_maker(services_->room_maker),
      due_work(services_->due_work),
      batch_calls(services_->batch_calls),
      settler(services_->settler),
      releaser(services_->releaser),
      receiver(services_->receiver) {}

Engine::Impl::~Impl() = default;

Result<void> Engine::Impl::open() {
  if (auto ok = Recovery(*this, retention).recover(); !ok) return ok;
  pipeline.on_failure([this](const Error& error) { dispatcher.fail_waits(error); });
  return start();
}

Result<void> Engine::Impl::start() {
  if (auto ok = pipeline.start(); !ok || !options.background) return ok;
  auto thread = sync::Thread::start([this] { run_background(); });
  if (!thread) return tl::unexpected(thread.error());
  background_ = *std::move(thread);
  return {};
}

void Engine::Impl::run_background() {
  // A message that waits for a time of day may be due at once when the wall clock is set. So the thread looks
  // again after a while, even if nothing seems due.
  constexpr Duration kLongestSleep = std::chrono::seconds(1);
  while (!closing.load(std::memory_order_acquire)) {
    const Timestamp next = due_work.run_due();
    const Timestamp time = now();
    if (next > time) scheduler.sleep(next, std::min(kLongestSleep, next - time));
  }
}

Result<void> Engine::Impl::close() {
  const sync::Lock lock(close_mutex_);
  if (closed_) return *closed_;
  // `closing` is a std::atomic, because stores look at it too. So tests of interleavings get their turn here.
  sync::pause();
  closing.store(true, std::memory_order_release);
  for (const auto& queue : catalog.all()) {
    const LockedQueue locked(pipeline.gate(), *queue);
    Dispatcher::end_waits(*queue, Timestamp::max());
  }
  archiving.stop();
  scheduler.stop();
  if (background_.joinable()) background_.join();
  // Calls that were in progress have posted all that they had to post by now.
  { const sync::ExclusiveLock no_call_is_left(calls.mutex()); }
  archive_thread.stop();
  call_pool.stop();
  requests.stop();
  background.stop();
  const sync::ExclusiveLock no_call_begins(calls.mutex());
  reclaimer.stop();
  const Result<void> stopped = pipeline.stop();
  events.stop();
  const Result<void> store_closed = store->close();
  closed_ = stopped ? store_closed : stopped;
  return *closed_;
}

}  // namespace holdfast
