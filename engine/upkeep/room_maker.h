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

  // Some messages of a queue that has too many leave, as do the exhausted. Gives the last group, if any did.
  Result<std::optional<GroupNumber>> make_room(const std::shared_ptr<Queue>& queue);

 private:
  EngineContext& engine_;
  DeadLetterMover& mover_;
};

}  // namespace holdfast
