// Releasing deliveries: their messages go back to their queue, or die of it.
#pragma once

#include <span>

#include "engine/context/context.h"
#include "engine/dead_letters/dead_letter_mover.h"
#include "engine/messages/settled.h"
#include "engine/messages/settler.h"
#include "engine/upkeep/schedule_mover.h"

namespace holdfast {

class Releaser {
 public:
  Releaser(EngineContext& engine, Settler& settler, DeadLetterMover& mover, ScheduleMover& schedule_mover)
      : engine_(engine), settler_(settler), mover_(mover), schedule_mover_(schedule_mover) {}

  Result<Settled> release(std::span<const Receipt> receipts, const ReleaseOptions& options)
      HOLDFAST_EXCLUDES(inside_gate);

 private:
  EngineContext& engine_;
  Settler& settler_;
  DeadLetterMover& mover_;
  ScheduleMover& schedule_mover_;
};

}  // namespace holdfast
