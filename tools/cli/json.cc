#include "tools/cli/json.h"

#include "engine/base/options/queue_option_table.h"
#include "engine/codec/dead_letters/readable.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/retry.h"
#include "tools/cli/texts/text.h"

namespace holdfast::command {
namespace {

// Returns milliseconds: an integer if they are whole.
Json milliseconds(Duration duration) {
  if (duration.count() % 1000 == 0) return duration.count() / 1000;
  return static_cast<double>(duration.count()) / 1000;
}

Json to_json(const DeadLetterSources& sources) {
  switch (sources.allow) {
    case DeadLetterSources::Allow::kAll:
      return "all";
    case DeadLetterSources::Allow::kNone:
      return "none";
    case DeadLetterSources::Allow::kListed:
      break;
  }
  return sources.queues;
}

Json to_json(const AutoRedrive& policy) {
  return {{"every_ms", milliseconds(policy.every)},
          {"max", policy.max},
          {"categories", policy.categories},
          {"backoff_ms", milliseconds(policy.backoff)},
          {"backoff_max_ms", milliseconds(policy.backoff_max)},
          {"max_replays", policy.max_replays},
          {"give_up_after_ms", milliseconds(policy.give_up_after)},
          {"on_give_up", to_string(policy.on_give_up)}};
}

template <class T>
Json bound(const std::optional<T>& value) {
  if (!value) return nullptr;
  if constexpr (std::is_same_v<T, Duration>) {
    return milliseconds(*value);
  } else {
    return *value;
  }
}

// Returns everything of a rule but its threshold.
template <class Bound, AlertSeverity kUsual>
Json terms(const AlertRule<Bound, kUsual>& rule) {
  return {{"severity", to_string(rule.severity)},
          {"fire_after_ms", milliseconds(rule.fire_after)},
          {std::is_same_v<Bound, Duration> ? "clear_at_ms" : "clear_at", bound(rule.clear_at)},
          {"clear_after_ms", milliseconds(rule.clear_after)}};
}

Json to_json(const AlertRules& rules) {
  return {{"depth", bound(rules.depth.above)},
          {"depth_terms", terms(rules.depth)},
          {"depth_high", bound(rules.depth_high.above)},
          {"depth_high_terms", terms(rules.depth_high)},
          {"depth_critical", bound(rules.depth_critical.above)},
          {"depth_critical_terms", terms(rules.depth_critical)},
          {"arrivals", bound(rules.arrivals.above)},
          {"arrivals_terms", terms(rules.arrivals)},
          {"arrivals_for_ms", milliseconds(rules.arrivals_for)},
          {"oldest_ms", bound(rules.oldest.above)},
          {"oldest_terms", terms(rules.oldest)},
          {"unassigned_ms", bound(rules.unassigned.above)},
          {"unassigned_terms", terms(rules.unassigned)}};
}

Json to_json(const std::vector<Alert>& alerts) {
  Json list = Json::array();
  for (const Alert& alert : alerts) {
    list.push_back({{"rule", alert.rule},
                    {"severity", to_string(alert.severity)},
                    {"since", format_time(alert.since)},
                    {"value", alert.value},
                    {"threshold", alert.threshold},
                    {"dead_letter", alert.dead_letter ? Json(to_string(*alert.dead_letter)) : Json(nullptr)},
                    {"clears_at", time_or_null(alert.clears_at)},
                    {"summary", summary(alert)}});
  }
  return list;
}

Json to_json(const RetryPolicy& retry) {
  Json stages = Json::array();
  for (const Duration stage : retry.stages) stages.push_back(milliseconds(stage));
  return {{"kind", to_string(retry.kind)},     {"base_ms", milliseconds(retry.base)},
          {"cap_ms", milliseconds(retry.cap)}, {"jitter", retry.jitter},
          {"stages_ms", std::move(stages)},    {"to", retry.to == ReturnTo::kTail ? "tail" : "head"}};
}

Json to_json(const FloodBrake& brake) {
  return {{"deaths_per_minute", brake.deaths_per_minute}, {"delay_ms", milliseconds(brake.delay)}};
}

Json to_json(const JournalOptions& journal) {
  return {{"max_entries", journal.max_entries}, {"keep_ms", milliseconds(journal.keep)}};
}

Json to_json(const std::vector<DeadLetterRoute>& routes) {
  Json object = Json::object();
  for (const auto& [category, queue] : routes) object[category] = queue;
  return object;
}

template <class T>
Json value_of_option(const T& value) {
  if constexpr (std::is_same_v<T, Duration>) {
    return milliseconds(value);
  } else if constexpr (OptionEnum<T>) {
    return to_string(value);
  } else if constexpr (requires { to_json(value); }) {
    return to_json(value);
  } else {
    return value;
  }
}

// Writes each option under its name in the table. The names of durations end in their unit.
Json to_json(const QueueOptions& options) {
  Json object = Json::object();
  for_each_option([&]<class T>(const QueueOption<T>& option) {
    const std::string name = std::string(option.name) + (std::is_same_v<T, Duration> ? "_ms" : "");
    object[name] = value_of_option(option.place(options));
  });
  return object;
}

Json to_json(const QueueCounts& counts) {
  return {
      {"ready", counts.ready}, {"waiting", counts.waiting}, {"leased", counts.leased}, {"dead", counts.dead}};
}

Json to_json(const QueueTotals& totals) {
  return {{"sent", totals.sent},
          {"delivered", totals.delivered},
          {"acked", totals.acked},
          {"dead_lettered", totals.dead_lettered},
          {"discarded", totals.discarded},
          {"redriven", totals.redriven},
          {"parked", totals.parked},
          {"expired", totals.expired},
          {"overflowed", totals.overflowed}};
}

}  // namespace

Json time_or_null(const std::optional<Timestamp>& time) {
  return time ? Json(format_time(*time)) : Json(nullptr);
}

Json to_json(const QueueInfo& info) {
  return {{"name", info.name},
          {"id", static_cast<std::uint64_t>(info.id)},
          {"created_at", format_time(info.created_at)},
          {"options", to_json(info.options)},
          {"counts", to_json(info.counts)},
          {"bytes", info.bytes},
          {"totals", to_json(info.totals)},
          {"alerts", to_json(info.alerts)},
          {"braked_until", readable_time(info.braked_until)},
          {"paused", {{"deliveries", info.paused.deliveries}, {"sends", info.paused.sends}}}};
}

Json to_json(const Sent& sent) {
  return {
      {"id", sent.id.to_string()}, {"durability", to_string(sent.durability)}, {"duplicate", sent.duplicate}};
}

Json to_json(const DeadLetter& letter, bool bodies) {
  Json object{{"seq", to_string(letter.seq)}, {"cursor", cursor_of(letter).to_string()}};
  object.update(readable(letter.record));
  object["id"] = letter.id.to_string();
  object["history"] = letter.history;
  object["triage"] = readable(letter.triage);
  object["redacted"] = letter.redacted;
  if (letter.replay) object["replay"] = readable(*letter.replay);
  if (bodies) {
    object["attributes"] = readable(letter.attributes);
    put_bytes(object, "body", letter.body);
  }
  if (letter.original) {
    Json original{{"attributes", readable(letter.original->attributes)}};
    put_bytes(original, "body", letter.original->body);
    object["original"] = std::move(original);
  }
  return object;
}

Json to_json(const Delivery& delivery) {
  Json object{{"id", delivery.id.to_string()},
              {"receipt", delivery.receipt.to_string()},
              {"sent_at", format_time(delivery.sent_at)},
              {"lease_expires_at", format_time(delivery.lease_expires_at)},
              {"deliveries", delivery.deliveries},
              {"replays", delivery.replays},
              {"attributes", readable(delivery.attributes)}};
  object["priority"] = delivery.priority;
  put_bytes(object, "group", delivery.group);
  put_bytes(object, "body", delivery.body);
  if (delivery.failure) object["failure"] = readable(*delivery.failure);
  return object;
}

Json to_json(const PeekedMessage& message, bool bodies) {
  Json object{{"seq", to_string(message.seq)},
              {"scheduled", message.scheduled ? Json(to_string(*message.scheduled)) : Json()},
              {"id", message.id.to_string()},
              {"state", to_string(message.state)},
              {"sent_at", format_time(message.sent_at)},
              {"due", message.due ? Json(format_time(*message.due)) : Json()},
              {"expires_at", message.expires_at ? Json(format_time(*message.expires_at)) : Json()},
              {"deliveries", message.deliveries},
              {"replays", message.replays}};
  if (bodies) {
    object["attributes"] = readable(message.attributes);
    put_bytes(object, "body", message.body);
    object["redacted"] = message.redacted;
  }
  return object;
}

Json to_json(const LeftInPlace& left) {
  return {{"abandoned", left.abandoned}, {"replay_limit", left.replay_limit}, {"version", left.version},
          {"edit", left.edit},           {"no_queue", left.no_queue},         {"leased", left.leased}};
}

Json to_json(const ReplayCounts& counts) {
  return {{"acked", counts.acked},
          {"died_again", counts.died_again},
          {"died_elsewhere", counts.died_elsewhere},
          {"dropped", counts.dropped}};
}

Json to_json(const TaskStatus& status) {
  Json object{{"task", static_cast<std::uint64_t>(status.id)},
              {"action", to_string(status.action)},
              {"queue", status.queue},
              {"to", status.to},
              {"state", to_string(status.state)},
              {"moved", status.moved},
              {"skipped", status.left.total()},
              {"left", to_json(status.left)},
              {"parked", status.parked},
              {"total", status.total},
              {"outcomes", to_json(status.outcomes)},
              {"started_at", format_time(status.started_at)},
              {"actor", status.actor}};
  if (status.canaries > 0) {
    object["canary"] = {
        {"moved", status.canaries}, {"acked", status.canary_acked}, {"failed", status.canary_failed}};
  }
  if (status.state != TaskState::kRunning) object["finished_at"] = format_time(status.finished_at);
  if (!status.cancelled_by.empty()) object["cancelled_by"] = status.cancelled_by;
  if (!status.error.empty()) object["error"] = status.error;
  return object;
}

}  // namespace holdfast::command
