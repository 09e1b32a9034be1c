// Makes room in a queue that has too many messages.
#include "engine/engine/engine_impl.h"

namespace holdfast {
namespace {

bool is_less(const Queue::Excess& a, const Queue::Excess& b) {
  return a.messages < b.messages || a.bytes < b.bytes;
}

}  // namespace

Result<std::optional<GroupNumber>> Engine::Impl::make_room(const std::shared_ptr<Queue>& queue) {
  std::optional<GroupNumber> last;
  std::optional<Queue::Excess> before;  // the last drop; without progress others would be dropped and revived
  for (bool more = true; more;) {
    std::optional<Seq> load_from;
    {
      const LockedQueue locked(pipeline.gate(), *queue);
      const Queue::Excess excess = queue->deleted() ? Queue::Excess{} : queue->excess();
      more = excess.any() && (!before || is_less(excess, *before));
      if (more) {
        const Lanes::Dropped dropped = queue->drop_heads(excess);
        load_from = dropped.load_from;
        // What a group has next once its head is gone waits for the next send, as ever.
        const bool is_first_part = excess.messages > Queue::kDropMessages || excess.bytes > Queue::kDropBytes;
        more = load_from || (is_first_part && dropped.messages > 0);
        if (dropped.messages > 0) {
          pipeline.join(queue, Durability::kBuffered);
          before = excess;
        }
      }
    }
    // What cannot be read is met again by the next send. What was dropped before it goes now.
    if (load_from && !chunk_loader.load_ahead(*queue, *load_from)) more = false;
    // The round before is written now, so that what is dropped does not pile up in memory.
    if (more && last) {
      if (auto ok = pipeline.wait(*last); !ok) return tl::unexpected(ok.error());
    }
    const auto dead_lettered = dead_letter_exhausted(queue);
    if (!dead_lettered) return tl::unexpected(dead_lettered.error());
    if (*dead_lettered) last = **dead_lettered;
  }
  return last;
}

}  // namespace holdfast
