#include "engine/upkeep/due_work.h"

#include <algorithm>
#include <vector>

#include "engine/base/helpers/units.h"

namespace holdfast {

bool DueWork::end_leases(const std::shared_ptr<Queue>& queue, std::optional<GroupNumber>& last) {
  CommitPipeline& pipeline = engine_.pipeline;
  const LockedQueue locked(pipeline.gate(), *queue);
  if (queue->deleted()) return false;
  const Timestamp time = engine_.now();  // looking after other queues may have taken its time
  // The number is bounded, so that a large backlog of timers does not hold the lock for long. The rest is due
  // at once.
  constexpr std::size_t kChunks = 256;
  // The ends of leases are written, so that a failure is judged once, by the options of its time, and not
  // again after a restart.
  std::vector<LeaseEnd> ended;
  if (queue->state.expire(time, kChunks, queue->journal.on() ? &ended : nullptr)) {
    last = pipeline.join(queue, Durability::kBuffered);
  }
  queue->journal.record(ended);
  if (queue->journal.expire(engine_.clock.stored(time))) last = pipeline.join(queue, Durability::kBuffered);
  if (queue->send_memory.forget(time)) last = pipeline.join(queue, Durability::kBuffered);
  Dispatcher::end_waits(*queue, time);
  services_.dispatcher.after_change(queue, time);
  return true;
}

void DueWork::look_after(const std::shared_ptr<Queue>& queue, Timestamp time,
                         std::optional<GroupNumber>& last) {
  if (!end_leases(queue, last)) return;
  services_.expirer.expire_due(queue);
  (void)services_.schedule_mover.enter_due(queue);
  const auto dead_lettered = services_.mover.dead_letter_exhausted(queue, DeadLetterMover::HowMany::kSome);
  if (dead_lettered && dead_lettered->last) last = *dead_lettered->last;
  if (services_.compactor.compact_chunks(queue)) engine_.scheduler.schedule(queue, time);
  services_.compactor.reclaim(*queue);
  if (const auto group = services_.schedule_mover.spill_waiting(queue)) last = *group;
  if (const auto group = services_.schedule_mover.return_to_tail(queue)) last = *group;
  services_.retention.retain(queue);
  (void)services_.policies.run_policies(queue, time);
  services_.dispatcher.load_for_waiters(queue);
}

Timestamp DueWork::run_due() {
  const Timestamp time = engine_.now();
  engine_.space.look(time);
  engine_.background.look_again();
  engine_.archive_thread.look_again();
  std::optional<GroupNumber> last = tell_step(time);
  const Timestamp follows = services_.schedule_mover.follow_wall_clock(time);
  for (const auto& queue : engine_.scheduler.take_due(time)) look_after(queue, time, last);
  const Timestamp next_step = services_.task_stepper.run_tasks();
  {
    const Gate::Pass pass(engine_.pipeline.gate());
    if (const auto group = engine_.requests.forget(engine_.clock.stored(time))) last = *group;
  }
  if (last) (void)engine_.pipeline.wait(*last);
  return std::min({engine_.scheduler.next_due(), next_step, follows});
}

std::optional<GroupNumber> DueWork::tell_step(Timestamp time) {
  const auto step = engine_.clock.take_step();
  if (!step || !engine_.events.heard()) return std::nullopt;
  const Gate::Pass pass(engine_.pipeline.gate());
  const bool forward = *step > Duration{0};
  const Duration rounded = std::chrono::round<std::chrono::duration<std::int64_t, std::deci>>(*step);
  engine_.events.emit(
      {.kind = EventKind::kClockStepped,
       .time = time,
       .text = (forward ? "+" : "") + format_duration(rounded),
       .count = static_cast<std::uint64_t>((forward ? *step : -*step) / std::chrono::milliseconds(1))});
  return engine_.pipeline.join(Durability::kBuffered);
}

}  // namespace holdfast
