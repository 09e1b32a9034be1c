// Makes room in a queue that has too many messages.
#pragma once

#include <memory>
#include <optional>

#include "engine/context/context.h"
#include "engine/dead_letters/dead_letter_mover.h"

namespace holdfast {

class RoomMaker {
 public:
  RoomMaker(EngineContext& engine, DeadLetterMover& mover) : engine_(engine), mover_(mover) {}

  // Drops messages of a queue that has too many, and moves its exhausted messages away. Returns the last
  // group, or nothing if no message left.
  Result<std::optional<GroupNumber>> make_room(const std::shared_ptr<Queue>& queue);

 private:
  EngineContext& engine_;
  DeadLetterMover& mover_;
};

}  // namespace holdfast
