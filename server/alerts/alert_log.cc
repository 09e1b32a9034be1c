#include "server/alerts/alert_log.h"

namespace holdfast::server {
namespace {

void write(spdlog::logger& log, const Event& event) {
  switch (event.kind) {
    case EventKind::kRuleFired:
      return log.warn("alert fired queue={} rule={} value={}", event.queue, event.text, event.count);
    case EventKind::kRuleCleared:
      return log.info("alert cleared queue={} rule={} value={}", event.queue, event.text, event.count);
    case EventKind::kDied:
      return log.debug("died queue={} message={} dead_letter_queue={} cause={} deliveries={}", event.queue,
                       event.message.value_or(MessageId{}).to_string(), event.target,
                       to_string(event.cause.value_or(DeathCause{})), event.count);
    case EventKind::kClockStepped:
      return log.warn("clock stepped by={}", event.text);
    default:
      return log.warn("alerts missed count={}", event.count);
  }
}

}  // namespace

Result<Subscription> log_alerts(Engine& engine, spdlog::logger& log) {
  std::vector<EventKind> kinds = {EventKind::kRuleFired, EventKind::kRuleCleared, EventKind::kClockStepped};
  if (log.should_log(spdlog::level::debug)) kinds.push_back(EventKind::kDied);
  // Before the look at what holds already, so that nothing falls between; what comes twice is said twice.
  auto subscription =
      engine.subscribe({.kinds = std::move(kinds)}, [&log](const Event& event) { write(log, event); });
  if (!subscription) return subscription;
  const auto queues = engine.list_queues();
  if (!queues) return tl::unexpected(queues.error());
  for (const QueueInfo& queue : *queues) {
    for (const Alert& alert : queue.alerts)
      log.warn("alert holds queue={} rule={} value={}", queue.name, alert.rule, alert.value);
  }
  return subscription;
}

}  // namespace holdfast::server
