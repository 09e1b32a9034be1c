// Makes messages whose time to live ran out exhausted, in bounded steps.
#pragma once

#include <memory>

#include "engine/context/context.h"
#include "engine/dead_letters/dead_letter_mover.h"
#include "engine/dispatch/dispatcher.h"

namespace holdfast {

class Expirer {
 public:
  Expirer(EngineContext& engine, Dispatcher& dispatcher, DeadLetterMover& mover)
      : engine_(engine), dispatcher_(dispatcher), mover_(mover) {}

  // Does one step for a receive. The receive calls it until no message is due to expire, before it hands
  // anything out.
  Result<void> pass_expired(const std::shared_ptr<Queue>& queue)
      HOLDFAST_EXCLUDES(inside_gate, queue->expiry_mutex);
  // Does what is due, for run_due(): one step, or more while receives wait for messages.
  void expire_due(const std::shared_ptr<Queue>& queue) HOLDFAST_EXCLUDES(inside_gate, queue->expiry_mutex);

 private:
  // Makes a bounded number of messages exhausted.
  Result<void> expire_messages(const std::shared_ptr<Queue>& queue)
      HOLDFAST_EXCLUDES(inside_gate, queue->expiry_mutex);

  EngineContext& engine_;
  Dispatcher& dispatcher_;
  DeadLetterMover& mover_;
};

}  // namespace holdfast
