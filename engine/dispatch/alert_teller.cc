#include "engine/dispatch/alert_teller.h"

namespace holdfast {

void AlertTeller::tell(Queue& queue, const std::vector<AlertChange>& changes, Timestamp time) {
  if (!engine_.events.heard()) return;
  for (const auto& [alert, fired] : changes) {
    engine_.events.emit({.kind = fired ? EventKind::kRuleFired : EventKind::kRuleCleared,
                         .time = time,
                         .queue = queue.name,
                         .queue_id = queue.id,
                         .text = alert.rule,
                         .count = alert.value,
                         .tags = queue.options().tags,
                         .alert = alert});
  }
}

void AlertTeller::judge_depth(const std::shared_ptr<Queue>& queue, Timestamp time) {
  const auto changes = queue->alerts.judge_depth(queue->options().alerts, queue->state.counts().dead, time);
  if (changes.empty()) return;
  engine_.pipeline.gate().assert_inside();
  engine_.pipeline.join(queue, Durability::kBuffered);
  tell(*queue, changes, time);
}

void AlertTeller::note_death(Queue& source, DeathCause cause, Timestamp time) {
  // Messages die of these causes because consumers are too slow, and the brake would slow them down further.
  if (cause == DeathCause::kExpired || cause == DeathCause::kOverflow) return;
  const FloodBrake& wanted = source.options().brake;
  if (!source.brake.died(wanted, time)) return;
  source.state.set_brake(wanted.delay);
  tell(source, {{flood_alert(wanted, source.brake.deaths(), time), true}}, time);
}

void AlertTeller::end_brake(const std::shared_ptr<Queue>& queue, Timestamp time) {
  engine_.pipeline.gate().assert_inside();
  if (!queue->brake.clear(queue->options().brake, time)) return;
  queue->state.set_brake(std::nullopt);
  engine_.pipeline.join(queue, Durability::kBuffered);
  tell(*queue, {{flood_alert(queue->options().brake, 0, time), false}}, time);
}

}  // namespace holdfast
