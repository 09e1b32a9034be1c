#include "server/alerts/event_fields.h"

#include "engine/base/time_text.h"

namespace holdfast::server {
namespace {

void add_rule(const Event& event, Json& object) {
  const Alert alert = event.alert.value_or(Alert{.rule = event.text, .value = event.count});
  object["rule"] = alert.rule;
  object["severity"] = to_string(alert.severity);
  object["value"] = alert.value;
  object["threshold"] = alert.threshold;
  if (alert.dead_letter) object["dead_letter"] = to_string(*alert.dead_letter);
}

void add_death(const Event& event, Json& object) {
  object["dead_letter_queue"] = event.target;
  if (event.dead_letter) object["dead_letter"] = to_string(*event.dead_letter);
  if (event.message) object["message_id"] = event.message->to_string();
  if (event.cause) object["cause"] = to_string(*event.cause);
  object["category"] = event.category;
  object["reason"] = event.text;
  object["deliveries"] = event.count;
}

}  // namespace

Json event_fields(const Event& event) {
  Json object{{"kind", to_string(event.kind)},
              {"time", format_time(event.time)},
              {"time_ms", event.time.time_since_epoch() / std::chrono::milliseconds(1)},
              {"summary", summary(event)}};
  if (event.kind == EventKind::kMissed) {
    object["value"] = event.count;
    return object;
  }
  object["queue"] = event.queue;
  object["tags"] = Json::object();
  for (const auto& [name, value] : event.tags) object["tags"][name] = value;
  event.kind == EventKind::kDied ? add_death(event, object) : add_rule(event, object);
  return object;
}

std::string tags_text(const Tags& tags) {
  std::string text;
  for (const auto& [name, value] : tags) {
    if (!text.empty()) text += ", ";
    text += name;
    text += '=';
    text += value;
  }
  return text;
}

Event event_of(const QueueInfo& queue, const Alert& alert) {
  return {.kind = EventKind::kRuleFired,
          .time = alert.since,
          .queue = queue.name,
          .queue_id = queue.id,
          .text = alert.rule,
          .count = alert.value,
          .tags = queue.options.tags,
          .alert = alert};
}

}  // namespace holdfast::server
