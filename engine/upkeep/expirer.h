// Messages whose time to live ran out become exhausted, in bounded steps.
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

  // A step for a receive, which calls this until nothing expires any more before it hands anything out.
  Result<void> pass_expired(const std::shared_ptr<Queue>& queue);
  // What is due, for run_due(): more of it where somebody waits for messages.
  void expire_due(const std::shared_ptr<Queue>& queue);

 private:
  // A bounded number of them.
  Result<void> expire_messages(const std::shared_ptr<Queue>& queue);

  EngineContext& engine_;
  Dispatcher& dispatcher_;
  DeadLetterMover& mover_;
};

}  // namespace holdfast
