#include "engine/messages/releaser.h"

#include <set>

#include "engine/base/validation/validate.h"
#include "engine/messages/settle.h"
#include "engine/queue/failures.h"

namespace holdfast {

Result<Settled> Releaser::release(std::span<const Receipt> receipts, const ReleaseOptions& options) {
  if (auto ok = validate(options); !ok) return tl::unexpected(ok.error());
  const auto said = encode_said(options.failure);
  std::set<QueueId> moving;
  Settled settled = settler_.settle_in_steps(
      receipts, said,
      [&](Queue& queue, Seq seq, Timestamp time) HOLDFAST_REQUIRES(queue.mutex) {
        if (said) queue.describe(seq, said, time);
        if (queue.release(seq, return_of(options, time), time)) moving.insert(queue.id);
      },
      [&](const Queue& queue, Seq seq)
          HOLDFAST_REQUIRES(queue.mutex) { return check_release(queue, seq, options); });
  for (const QueueId id : moving) {
    const auto queue = engine_.catalog.find(id);
    if (!queue) continue;  // the queue was deleted meanwhile, with the released messages
    if (const auto moved = mover_.dead_letter_exhausted(queue); moved && moved->last)
      settled.group = *moved->last;
    if (const auto group = schedule_mover_.return_to_tail(queue)) settled.group = *group;
  }
  return settled;
}

}  // namespace holdfast
