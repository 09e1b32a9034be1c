#include "codec/failure_record.h"

#include <algorithm>

#include "codec/tagged.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

// Never renumbered, never reused.
enum Tag : std::uint32_t {
  kMessageId = 1,
  kSourceQueueId = 2,
  kSourceQueue = 3,
  kSourceSeq = 4,
  kSentAt = 5,
  kCause = 6,
  kCategory = 7,
  kReason = 8,
  kCode = 9,
  kStackTrace = 10,
  kDeliveries = 11,
  kReplays = 12,
  kFirstFailedAt = 13,
  kLastFailedAt = 14,
  kDiedAt = 15,
  kConsumerInstance = 16,
  kConsumerVersion = 17,
  kCorrelationId = 18,
  kGroup = 19,
};

void read_id(const tagged::Field& field, MessageId& id) {
  std::copy_n(field.value.begin(), std::min(field.value.size(), id.bytes.size()), id.bytes.begin());
}

void read_field(const tagged::Field& field, FailureRecord& record) {
  switch (field.tag) {
    case kMessageId:
      return read_id(field, record.message_id);
    case kSourceQueueId:
      record.source_queue_id = QueueId{field.number()};
      return;
    case kSourceQueue:
      record.source_queue = field.text();
      return;
    case kSourceSeq:
      record.source_seq = Seq{field.number()};
      return;
    case kSentAt:
      record.sent_at = field.time();
      return;
    case kCause:
      record.cause = static_cast<DeathCause>(field.number());
      return;
    case kCategory:
      record.category = field.text();
      return;
    case kReason:
      record.reason = field.text();
      return;
    case kCode:
      record.code = field.text();
      return;
    case kStackTrace:
      record.stack_trace = field.text();
      return;
    case kDeliveries:
      record.deliveries = static_cast<std::uint32_t>(field.number());
      return;
    case kReplays:
      record.replays = static_cast<std::uint32_t>(field.number());
      return;
    case kFirstFailedAt:
      record.first_failed_at = field.time();
      return;
    case kLastFailedAt:
      record.last_failed_at = field.time();
      return;
    case kDiedAt:
      record.died_at = field.time();
      return;
    case kConsumerInstance:
      record.consumer.instance = field.text();
      return;
    case kConsumerVersion:
      record.consumer.version = field.text();
      return;
    case kCorrelationId:
      record.correlation_id = field.text();
      return;
    case kGroup:
      record.group = field.text();
      return;
    default:
      return;
  }
}

}  // namespace

std::string encode_dead_letter_row(std::uint32_t chunk_index, const FailureRecord& record) {
  std::string row;
  row.reserve(160 + record.reason.size() + record.stack_trace.size());
  wire::put_varint(row, chunk_index);
  tagged::put_text(
      row, kMessageId,
      {reinterpret_cast<const char*>(record.message_id.bytes.data()), record.message_id.bytes.size()});
  tagged::put_number(row, kSourceQueueId, static_cast<std::uint64_t>(record.source_queue_id));
  tagged::put_text(row, kSourceQueue, record.source_queue);
  tagged::put_number(row, kSourceSeq, static_cast<std::uint64_t>(record.source_seq));
  tagged::put_time(row, kSentAt, record.sent_at);
  tagged::put_number(row, kCause, static_cast<std::uint64_t>(record.cause));
  tagged::put_text(row, kCategory, record.category);
  tagged::put_text(row, kReason, record.reason);
  tagged::put_text(row, kCode, record.code);
  tagged::put_text(row, kStackTrace, record.stack_trace);
  tagged::put_number(row, kDeliveries, record.deliveries);
  tagged::put_number(row, kReplays, record.replays);
  tagged::put_time(row, kFirstFailedAt, record.first_failed_at);
  tagged::put_time(row, kLastFailedAt, record.last_failed_at);
  tagged::put_time(row, kDiedAt, record.died_at);
  tagged::put_text(row, kConsumerInstance, record.consumer.instance);
  tagged::put_text(row, kConsumerVersion, record.consumer.version);
  tagged::put_text(row, kCorrelationId, record.correlation_id);
  tagged::put_text(row, kGroup, record.group);
  return row;
}

Result<DeadLetterRow> decode_dead_letter_row(std::string_view row) {
  wire::Reader reader(row);
  DeadLetterRow result;
  result.chunk_index = reader.varint32();
  const bool decoded = !reader.failed() && result.chunk_index < limits::kChunkMessages &&
                       tagged::for_each_field(reader.rest(), [&](const tagged::Field& field) {
                         read_field(field, result.record);
                       });
  if (!decoded) return fail(ErrorCode::kCorruption, "a failure record does not decode");
  return result;
}

}  // namespace holdfast
