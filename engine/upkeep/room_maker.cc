#include "engine/upkeep/room_maker.h"

namespace holdfast {
namespace {

bool is_less(const QueueBounds::Excess& a, const QueueBounds::Excess& b) {
  return a.messages < b.messages || a.bytes < b.bytes;
}

}  // namespace

Result<std::optional<GroupNumber>> RoomMaker::make_room(const std::shared_ptr<Queue>& queue) {
  std::optional<GroupNumber> last;
  // The excess at the last drop. Without progress, messages would be dropped and revived without end.
  std::optional<QueueBounds::Excess> before;
  for (bool more = true; more;) {
    std::optional<Seq> load_from;
    {
      const LockedQueue locked(engine_.pipeline.gate(), *queue);
      const QueueBounds::Excess excess = queue->deleted() ? QueueBounds::Excess{} : queue->bounds.excess();
      more = excess.any() && (!before || is_less(excess, *before));
      if (more) {
        const Lanes::Dropped dropped = queue->bounds.drop_heads(excess);
        load_from = dropped.load_from;
        // What a group has to hand out once its head has left waits for the next send, as it does after any
        // send.
        const bool is_first_part =
            excess.messages > QueueBounds::kDropMessages || excess.bytes > QueueBounds::kDropBytes;
        more = load_from || (is_first_part && dropped.messages > 0);
        if (dropped.messages > 0) {
          engine_.pipeline.join(queue, Durability::kBuffered);
          before = excess;
        }
      }
    }
    // The next send meets what cannot be read again. What was dropped before it leaves now.
    if (load_from && !engine_.chunk_loader.load_ahead(*queue, *load_from)) more = false;
    // The group of the last round is written now, so that what is dropped does not pile up in memory.
    if (more && last) {
      if (auto ok = engine_.pipeline.wait(*last); !ok) return tl::unexpected(ok.error());
    }
    const auto dead_lettered = mover_.dead_letter_exhausted(queue);
    if (!dead_lettered) return tl::unexpected(dead_lettered.error());
    if (*dead_lettered) last = **dead_lettered;
    // close() waits for this call. The rest leaves with the next send after the next opening.
    more = more && !engine_.closing;
  }
  return last;
}

}  // namespace holdfast
