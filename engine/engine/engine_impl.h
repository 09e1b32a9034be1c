// Engine::Impl (EngineHandle declares it) has what all calls of an engine share, and the services of the
// calls. A service is declared in a header of its own, which its users include. What makes and ends them is
// in engine/opening, which knows them all.
#pragma once

#include <memory>
#include <optional>

#include "engine/context/calls.h"
#include "engine/context/context.h"
#include "engine/sync/mutex.h"
#include "engine/sync/thread.h"
#include "holdfast/engine.h"

namespace holdfast {

class AlertTeller;      // dispatch/alert_teller.h
class Dispatcher;       // dispatch/dispatcher.h
class Retention;        // dead_letters/retention.h
class DeadLetterMover;  // dead_letters/dead_letter_mover.h
class Redriver;         // redrive/redriver.h
class ScheduleMover;    // upkeep/schedule_mover.h
class RoomMaker;        // upkeep/room_maker.h
class DueWork;          // upkeep/due_work.h
class BatchCalls;       // messages/batch_calls.h
class Settler;          // messages/settler.h
class Releaser;         // messages/releaser.h
class Receiver;         // messages/receiver.h

class EngineHandle::Impl : public EngineContext {
  struct Services;  // opening/engine_impl.cc
  const std::unique_ptr<Services> services_;

 public:
  Impl(std::unique_ptr<Store> store_to_own, EngineOptions engine_options);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // Reads what is stored, and starts the threads. kOverloaded if one cannot be had.
  Result<void> open();
  Result<void> close();

  // Calls use these services. A service that only services use is not among them.
  AlertTeller& alert_teller;
  Dispatcher& dispatcher;
  Retention& retention;
  DeadLetterMover& mover;
  Redriver& redriver;
  ScheduleMover& schedule_mover;
  RoomMaker& room_maker;
  DueWork& due_work;
  BatchCalls& batch_calls;
  Settler& settler;
  Releaser& releaser;
  Receiver& receiver;

 private:
  Result<void> start();
  void run_background();

  sync::Mutex close_mutex_;
  std::optional<Result<void>> closed_ HOLDFAST_GUARDED_BY(close_mutex_);
  sync::Thread background_;
};

}  // namespace holdfast
