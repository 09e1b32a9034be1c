#include "engine/upkeep/room_maker.h"

#include <utility>

namespace holdfast {
namespace {

bool is_less(const QueueBounds::Excess& a, const QueueBounds::Excess& b) {
  return a.messages < b.messages || a.bytes < b.bytes;
}

}  // namespace

// Returns whether there may be more to drop once what was dropped has left.
bool RoomMaker::drop_some(Making& making) {
  const std::shared_ptr<Queue>& queue = making.queues.back();
  std::optional<Seq> load_from;
  {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    const QueueBounds::Excess excess = queue->deleted() ? QueueBounds::Excess{} : queue->bounds.excess();
    // Without progress, messages would be dropped and revived without end.
    if (!excess.any() || (making.before && !is_less(excess, *making.before))) return false;
    const QueueState::Dropped dropped = queue->bounds.drop_heads(excess);
    load_from = dropped.load_from;
    if (dropped.messages > 0) {
      engine_.pipeline.join(queue, Durability::kBuffered);
      making.before = excess;
    }
    // What a group has to hand out once its head has left waits for the next send, as it does after any send.
    const bool is_first_part =
        excess.messages > QueueBounds::kDropMessages || excess.bytes > QueueBounds::kDropBytes;
    if (!load_from) return is_first_part && dropped.messages > 0;
  }
  // The next send meets what cannot be read again. What was dropped before it leaves now.
  return engine_.chunk_loader.load_ahead(*queue, *load_from).has_value();
}

Result<bool> RoomMaker::shorten_last(Making& making) {
  if (!making.moving) making.dropping = drop_some(making);
  // The group of the last part is written now, so that what leaves does not pile up in memory.
  if (making.last) {
    if (auto ok = engine_.pipeline.wait(*making.last); !ok) return tl::unexpected(ok.error());
  }
  const auto moved = mover_.dead_letter_exhausted(making.queues.back(), DeadLetterMover::HowMany::kSome);
  if (!moved) return tl::unexpected(moved.error());
  if (moved->last) making.last = moved->last;
  making.moving = !moved->all;
  return making.moving || making.dropping;
}

bool RoomMaker::make_some(Making& making) {
  if (const auto more = shorten_last(making); !more || !*more) {
    making.queues.pop_back();
    making.before.reset();
    making.moving = false;
  }
  // close() waits for the present part. The rest leaves with the next send after the next opening.
  return !making.queues.empty() && !engine_.closing;
}

std::optional<GroupNumber> RoomMaker::make_room(Queues queues) {
  Making making{.queues = std::move(queues)};
  for (bool more = !making.queues.empty(); more;) more = make_some(making);
  return making.last;
}

void RoomMaker::start_making_room(Queues queues, const Done& done) {
  if (queues.empty()) return done(std::nullopt);
  go_on(std::make_shared<Making>(Making{.queues = std::move(queues)}), done);
}

void RoomMaker::go_on(const std::shared_ptr<Making>& making, const Done& done) {
  if (!make_some(*making)) return done(making->last);
  engine_.background.post([this, making, done] { go_on(making, done); });
}

}  // namespace holdfast
