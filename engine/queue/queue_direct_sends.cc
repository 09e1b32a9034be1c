// Sends to a queue that others dead-letter to: refused, or dead letters at once.
#include "engine/base/helpers/fingerprint.h"
#include "engine/queue/queue.h"

namespace holdfast {

Result<void> Queue::check_direct(const Message& message) const {
  if (served <= 0) return {};
  if (!options_.direct_sends) {
    return fail(ErrorCode::kQueueInUse, "queue '" + name +
                                            "' serves others as a dead letter queue, so it takes no sends; "
                                            "direct_sends would let it");
  }
  const bool is_delayed = message.delay && *message.delay > Duration{0};
  if (!is_delayed && !message.visible_at && !message.time_to_live) return {};
  return fail(ErrorCode::kInvalidArgument,
              "delay, visible_at and time_to_live are for other queues: what is sent to dead letter queue '" +
                  name + "' is a dead letter at once, and stays");
}

void Queue::send_dead(const MessageId& message_id, Timestamp time, const Message& message) {
  FailureRecord record;
  record.message_id = message_id;
  record.sent_at = record.died_at = time;
  record.cause = DeathCause::kSent;
  record.reason = "sent to the dead letter queue";
  record.correlation_id = find_attribute(message.attributes, kCorrelationIdAttribute);
  record.workflow_version = find_attribute(message.attributes, kWorkflowVersionAttribute);
  record.group = message.group;
  record.priority = message.priority;
  record.fingerprint = fingerprint_of(record);
  arrivals_.add(time, record.cause, record.category);
  ChunkBuilder builder(Seq{1}, ChunkKind::kDeadLetters);
  builder.add(message_id, time, message);
  const auto chunk = std::move(builder).finish();
  DeadLetterRow row{.id = message_id, .record = std::move(record), .triage = {}};
  row.triage.status_since = time;
  const Seq seq = append_dead_letter(chunk->message(0), {.deaths = 1}, std::move(row));
  if (journal.on()) this->record(message_id, {.at = time, .kind = StepKind::kSent, .seq = seq});
  ++state.totals().sent;
}

}  // namespace holdfast
