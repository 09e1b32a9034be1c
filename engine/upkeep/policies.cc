// What queues do by themselves about their dead letters: automatic redrive, alerts, the flood brake.
#include <algorithm>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/engine/engine_impl.h"

namespace holdfast {
namespace {

// The dead letter that died first of those that have this value in the index.
Result<std::optional<AlertWatch::Oldest>> oldest(const Store& store, QueueId queue, IndexKind kind,
                                                 Timestamp time) {
  const std::string prefix = keys::posting_prefix(queue, kind, "");
  // Those whose message is here come before history.
  const auto scan = store.scan(Family::kDeadLetterIndex, prefix, prefix + '\x01');
  if (!scan->valid()) {
    if (auto status = scan->status(); !status) return tl::unexpected(status.error());
    return std::optional<AlertWatch::Oldest>();
  }
  const auto place = keys::parse_posting(scan->key());
  if (!place) return fail(ErrorCode::kCorruption, "a key of dead_letter_index does not decode");
  // One that was stamped by a clock that was set back since has no age yet.
  return std::optional(
      AlertWatch::Oldest{.age = std::max(Duration{0}, time - place->died_at), .seq = place->seq});
}

}  // namespace

void Engine::Impl::tell(Queue& queue, const std::vector<AlertChange>& changes, Timestamp time) {
  if (!events.heard()) return;
  for (const auto& [alert, fired] : changes) {
    events.emit({.kind = fired ? EventKind::kRuleFired : EventKind::kRuleCleared,
                 .time = time,
                 .queue = queue.name,
                 .queue_id = queue.id,
                 .text = alert.rule,
                 .count = alert.value,
                 .tags = queue.options().tags,
                 .alert = alert});
  }
}

std::optional<GroupNumber> Engine::Impl::tell_step(Timestamp time) {
  const auto step = clock.take_step();
  if (!step || !events.heard()) return std::nullopt;
  const Gate::Pass pass(pipeline.gate());
  const bool forward = *step > Duration{0};
  const Duration rounded = std::chrono::round<std::chrono::duration<std::int64_t, std::deci>>(*step);
  events.emit(
      {.kind = EventKind::kClockStepped,
       .time = time,
       .text = (forward ? "+" : "") + format_duration(rounded),
       .count = static_cast<std::uint64_t>((forward ? *step : -*step) / std::chrono::milliseconds(1))});
  return pipeline.join(Durability::kBuffered);
}

void Engine::Impl::judge_depth(Queue& queue, Timestamp time) {
  tell(queue, queue.alerts.judge_depth(queue.options().alerts, queue.state.counts().dead, time), time);
}

Result<void> Engine::Impl::judge_alerts(const std::shared_ptr<Queue>& queue, Timestamp time) {
  auto oldest_of_all = oldest(*store, queue->id, IndexKind::kAll, time);
  if (!oldest_of_all) return tl::unexpected(oldest_of_all.error());
  auto oldest_unassigned = oldest(*store, queue->id, IndexKind::kAssignee, time);
  if (!oldest_unassigned) return tl::unexpected(oldest_unassigned.error());
  const auto arrivals = ArrivalMinutes::read(*store, queue->id, time);
  if (!arrivals) return tl::unexpected(arrivals.error());
  const LockedQueue locked(pipeline.gate(), *queue);
  if (queue->deleted()) return {};
  const auto changes =
      queue->alerts.judge_all(queue->options().alerts, {*oldest_of_all, *oldest_unassigned, *arrivals}, time);
  // An event is told when its group is committed, so there must be one.
  if (!changes.empty()) pipeline.join(queue, Durability::kBuffered);
  tell(*queue, changes, time);
  return {};
}

void Engine::Impl::note_death(Queue& source, DeathCause cause, Timestamp time) {
  // These die because consumers are too slow, and the brake would slow them down further.
  if (cause == DeathCause::kExpired || cause == DeathCause::kOverflow) return;
  const FloodBrake& wanted = source.options().brake;
  if (!source.brake.died(wanted, time)) return;
  source.state.set_brake(wanted.delay);
  tell(source, {{flood_alert(wanted, source.brake.deaths(), time), true}}, time);
}

void Engine::Impl::end_brake(const std::shared_ptr<Queue>& queue, Timestamp time) {
  if (!queue->brake.clear(queue->options().brake, time)) return;
  queue->state.set_brake(std::nullopt);
  pipeline.join(queue, Durability::kBuffered);
  tell(*queue, {{flood_alert(queue->options().brake, 0, time), false}}, time);
}

Result<void> Engine::Impl::run_policies(const std::shared_ptr<Queue>& queue, Timestamp time) {
  bool redrives = false;
  bool looks = false;
  {
    const LockedQueue locked(pipeline.gate(), *queue);
    if (queue->deleted()) return {};
    end_brake(queue, time);
    redrives = queue->auto_redrive_at <= time;
    if (redrives) queue->auto_redrive_at = time + queue->options().auto_redrive.every;
    looks = queue->alerts.next_look() <= time;
  }
  Result<void> redriven;
  Result<void> judged;
  if (redrives) redriven = auto_redrive(queue);
  if (looks) judged = judge_alerts(queue, time);
  const LockedQueue locked(pipeline.gate(), *queue);
  if (!judged) queue->alerts.look_again_at(now() + kPauseAfterError);
  scheduler.schedule(queue, queue->next_policy());
  return redriven ? judged : redriven;
}

}  // namespace holdfast
