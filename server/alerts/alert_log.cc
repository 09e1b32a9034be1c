#include "server/alerts/alert_log.h"

#include "server/alerts/event_fields.h"
#include "server/logging/log_line.h"

namespace holdfast::server {
namespace {

std::string rule_line(std::string_view what, const Event& event) {
  const Alert alert = event.alert.value_or(Alert{.rule = event.text, .value = event.count});
  LogLine line(what);
  line.add("queue", event.queue).add("rule", alert.rule).add("severity", to_string(alert.severity));
  line.add("value", alert.value).add("threshold", alert.threshold);
  if (alert.dead_letter) line.add("dead_letter", static_cast<std::uint64_t>(*alert.dead_letter));
  return line.add("tags", tags_text(event.tags)).add("summary", summary(event)).text();
}

std::string death_line(const Event& event) {
  LogLine line("died");
  line.add("queue", event.queue).add("message", event.message.value_or(MessageId{}).to_string());
  line.add("dead_letter_queue", event.target);
  if (event.dead_letter) line.add("dead_letter", static_cast<std::uint64_t>(*event.dead_letter));
  line.add("cause", to_string(event.cause.value_or(DeathCause{}))).add("deliveries", event.count);
  return line.add("tags", tags_text(event.tags)).add("summary", summary(event)).text();
}

spdlog::level::level_enum level_of(const Event& event) {
  const bool critical = event.alert && event.alert->severity == AlertSeverity::kCritical;
  return critical ? spdlog::level::err : spdlog::level::warn;
}

void write(spdlog::logger& log, const Event& event) {
  switch (event.kind) {
    case EventKind::kRuleFired:
      return log.log(level_of(event), "{}", rule_line("alert fired", event));
    case EventKind::kRuleCleared:
      return log.info("{}", rule_line("alert cleared", event));
    case EventKind::kDied:
      return log.debug("{}", death_line(event));
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
  // The subscription begins before the look at what holds already, so that nothing is missed in between. A
  // rule that both report is written twice.
  auto subscription =
      engine.subscribe({.kinds = std::move(kinds)}, [&log](const Event& event) { write(log, event); });
  if (!subscription) return subscription;
  const auto queues = engine.list_queues();
  if (!queues) return tl::unexpected(queues.error());
  for (const QueueInfo& queue : *queues) {
    for (const Alert& alert : queue.alerts) {
      const Event event = event_of(queue, alert);
      log.log(level_of(event), "{}", rule_line("alert holds", event));
    }
  }
  return subscription;
}

}  // namespace holdfast::server
