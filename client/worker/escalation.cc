#include "client/worker/escalation.h"

#include <exception>

#include "engine/codec/encoding/json.h"

namespace holdfast::worker {
namespace {

constexpr std::size_t kSummaryBytes = 256;

std::string counted(std::uint64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::int64_t milliseconds(Timestamp time) { return time.time_since_epoch() / std::chrono::milliseconds(1); }

}  // namespace

std::string summary_of(const std::string& queue, const DeadLetter& letter) {
  const FailureRecord& record = letter.record;
  const std::string kind = record.category.empty() ? std::string(to_string(record.cause)) : record.category;
  const std::string tail = "; from " + record.source_queue + ", " +
                           counted(record.deliveries, "delivery", "deliveries") +
                           (record.replays == 0 ? "" : ", " + counted(record.replays, "replay", "replays"));
  std::string text = queue + ": " + kind + ": " + record.reason.substr(0, record.reason.find('\n'));
  if (text.size() + tail.size() > kSummaryBytes) {
    text.resize(kSummaryBytes - std::min(kSummaryBytes, tail.size() + 3));
    text += "...";
  }
  return text + tail;
}

std::string to_json(const Escalation& escalation) {
  const DeadLetter& letter = escalation.letter;
  const FailureRecord& record = letter.record;
  const Json object{{"event", "dead_letter_escalated"},
                    {"queue", escalation.queue},
                    {"seq", to_string(letter.seq)},
                    {"dead_letter_id", letter.id.to_string()},
                    {"message_id", record.message_id.to_string()},
                    {"summary", escalation.summary},
                    {"note", escalation.note},
                    {"source_queue", record.source_queue},
                    {"cause", to_string(record.cause)},
                    {"category", record.category},
                    {"code", record.code},
                    {"reason", record.reason},
                    {"fingerprint", to_string(record.fingerprint)},
                    {"deliveries", record.deliveries},
                    {"replays", record.replays},
                    {"consumer_version", record.consumer.version},
                    {"correlation_id", record.correlation_id},
                    {"died_at_ms", milliseconds(record.died_at)}};
  return dump_json(object);
}

Result<void> call(const EscalationCallback& callback, const Escalation& escalation) {
  try {
    return callback(escalation);
  } catch (const std::exception& e) {
    return fail(ErrorCode::kInternal, std::string("on_escalation: ") + e.what());
  } catch (...) {
    return fail(ErrorCode::kInternal, "on_escalation threw");
  }
}

}  // namespace holdfast::worker
