#include "engine/codec/dead_letters/readable.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/helpers/base64.h"
#include "engine/base/helpers/utf8.h"
#include "engine/base/time_text.h"

namespace holdfast {
namespace {

Json readable(const std::vector<NestedError>& causes) {
  Json list = Json::array();
  for (const auto& [code, message] : causes) list.push_back({{"code", code}, {"message", message}});
  return list;
}

Json readable(const Failure& failure) {
  Json object{{"category", failure.category},
              {"reason", failure.reason},
              {"code", failure.code},
              {"stack_trace", failure.stack_trace},
              {"causes", readable(failure.causes)}};
  if (!failure.partial_output.empty()) put_bytes(object, "partial_output", failure.partial_output);
  return object;
}

Json readable(const AttemptHistory& attempts) {
  Json list = Json::array();
  for (const Attempt& attempt : attempts.kept) {
    const auto& [instance, version] = attempt.consumer;
    Json object{{"failed_at", format_time(attempt.failed_at)},
                {"end", to_string(attempt.end)},
                {"consumer", {{"instance", instance}, {"version", version}}},
                {"held_ms", std::chrono::round<std::chrono::milliseconds>(attempt.held).count()},
                {"extended", attempt.extended}};
    if (!attempt.failure.empty()) object["failure"] = readable(attempt.failure);
    list.push_back(std::move(object));
  }
  return list;
}

Json readable(const std::optional<FirstDeath>& death) {
  if (!death) return nullptr;
  return {{"died_at", format_time(death->died_at)},
          {"cause", to_string(death->cause)},
          {"category", death->category},
          {"code", death->code},
          {"reason", death->reason},
          {"source_queue", death->source_queue},
          {"fingerprint", to_string(death->fingerprint)}};
}

}  // namespace

void put_bytes(Json& object, const std::string& name, std::string_view bytes) {
  if (is_valid_utf8(bytes)) {
    object[name] = bytes;
  } else {
    object[name + "_base64"] = base64_encode(bytes);
  }
}

Json readable(const Attributes& attributes) {
  Json list = Json::array();
  for (const Attribute& attribute : attributes) {
    Json object;
    put_bytes(object, "name", attribute.name);
    put_bytes(object, "value", attribute.value);
    list.push_back(std::move(object));
  }
  return list;
}

Json readable_time(Timestamp time) { return time == Timestamp{} ? Json() : Json(format_time(time)); }

Json readable(const FailureRecord& record) {
  Json object{{"message_id", record.message_id.to_string()},
              {"source_queue", record.source_queue},
              {"source_seq", to_string(record.source_seq)},
              {"sent_at", format_time(record.sent_at)},
              {"died_at", format_time(record.died_at)},
              {"cause", to_string(record.cause)},
              {"category", record.category},
              {"reason", record.reason},
              {"code", record.code},
              {"stack_trace", record.stack_trace},
              {"deliveries", record.deliveries},
              {"replays", record.replays},
              {"first_failed_at", readable_time(record.first_failed_at)},
              {"last_failed_at", readable_time(record.last_failed_at)},
              {"consumer", {{"instance", record.consumer.instance}, {"version", record.consumer.version}}},
              {"correlation_id", record.correlation_id},
              {"workflow_version", record.workflow_version},
              {"visits", record.visits},
              {"fingerprint", to_string(record.fingerprint)},
              {"first_death", readable(record.first_death)},
              {"attempts", readable(record.attempts)},
              {"attempts_left_out", record.attempts.left_out},
              {"causes", readable(record.causes)}};
  if (!record.partial_output.empty()) put_bytes(object, "partial_output", record.partial_output);
  if (!record.searched.empty()) object["searched"] = readable(record.searched);
  put_bytes(object, "group", record.group);
  object["priority"] = record.priority;
  return object;
}

Json readable(const Triage& triage) {
  Json notes = Json::array();
  for (const auto& [at, actor, text] : triage.notes) {
    notes.push_back({{"at", format_time(at)}, {"actor", actor}, {"text", text}});
  }
  Json audit = Json::array();
  for (const auto& [at, actor, action] : triage.audit) {
    audit.push_back({{"at", format_time(at)}, {"actor", actor}, {"action", action}});
  }
  return {{"status", to_string(triage.status)},    {"status_since", format_time(triage.status_since)},
          {"assignee", triage.assignee},           {"notes", std::move(notes)},
          {"notes_dropped", triage.notes_dropped}, {"audit", std::move(audit)},
          {"audit_dropped", triage.audit_dropped}};
}

Json readable(const Replay& replay) {
  Json object{{"outcome", to_string(replay.outcome)}};
  if (replay.at != Timestamp{}) object["at"] = format_time(replay.at);
  return object;
}

}  // namespace holdfast
