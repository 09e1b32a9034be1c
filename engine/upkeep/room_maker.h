// Makes room in queues that have too many messages.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/context/context.h"
#include "engine/dead_letters/dead_letter_mover.h"

namespace holdfast {

class RoomMaker {
 public:
  RoomMaker(EngineContext& engine, DeadLetterMover& mover) : engine_(engine), mover_(mover) {}

  using Queues = std::vector<std::shared_ptr<Queue>>;
  // Drops messages of queues that have too many, and moves their exhausted messages away. Returns the last
  // group, or nothing if no message left.
  std::optional<GroupNumber> make_room(Queues queues) HOLDFAST_EXCLUDES(inside_gate);
  // Makes room in parts, and calls `done` with the last group. The first part is done on this thread, and
  // each further one on the background thread after what waits there: where a bound was lowered far, all
  // parts together may take minutes.
  using Done = std::function<void(std::optional<GroupNumber>)>;
  void start_making_room(Queues queues, const Done& done) HOLDFAST_EXCLUDES(inside_gate);

 private:
  // A Making says what is still to do, and what was done.
  struct Making {
    Queues queues;
    std::optional<GroupNumber> last = {};
    // These concern the last of the queues: its excess at the last drop, whether it may have to drop more,
    // and whether the messages that it dropped are still leaving.
    std::optional<QueueBounds::Excess> before = {};
    bool dropping = true;
    bool moving = false;
  };
  // Does one part, as much as takes some tens of milliseconds. Returns whether there is more to do.
  bool make_some(Making& making) HOLDFAST_EXCLUDES(inside_gate);
  Result<bool> shorten_last(Making& making) HOLDFAST_EXCLUDES(inside_gate);
  bool drop_some(Making& making) HOLDFAST_EXCLUDES(inside_gate);
  void go_on(const std::shared_ptr<Making>& making, const Done& done) HOLDFAST_EXCLUDES(inside_gate);

  EngineContext& engine_;
  DeadLetterMover& mover_;
};

}  // namespace holdfast
