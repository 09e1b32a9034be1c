#include "engine/codec/dead_letters/failure_record.h"

#include <algorithm>

#include "engine/codec/dead_letters/attempts_codec.h"

namespace holdfast {
namespace {

// Tags are never changed and never used again.
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
  kId = 26,
  kWorkflowVersion = 20,
  kVisits = 21,
  kAttempts = 22,
  kNestedError = 23,  // one field each: code:bytes message
  kPartialOutput = 24,
  kFingerprint = 25,
  kPriority = 27,
  kFirstDeath = 28,    // see put_first_death()
  kDescriptions = 29,  // of attempts; after kAttempts (see attempts.h)
  kSearched = 30,      // one field each: name:bytes value
};

std::string_view view(const MessageId& id) {
  return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()};
}

void read_id(const tagged::Field& field, MessageId& id) {
  std::copy_n(field.value.begin(), std::min(field.value.size(), id.bytes.size()), id.bytes.begin());
}

bool read_nested_error(std::string_view bytes, FailureRecord& record) {
  wire::Reader reader(bytes);
  NestedError& error = record.causes.emplace_back();
  error.code = reader.bytes();
  error.message = reader.rest();
  return !reader.failed();
}

// The field is cause:u8 died_at:u64 fingerprint:u64 category:bytes code:bytes source_queue:bytes reason.
std::string put_first_death(const FirstDeath& death) {
  std::string out;
  wire::put_u8(out, static_cast<std::uint8_t>(death.cause));
  wire::put_time(out, death.died_at);
  wire::put_u64(out, static_cast<std::uint64_t>(death.fingerprint));
  for (const std::string* text : {&death.category, &death.code, &death.source_queue})
    wire::put_bytes(out, *text);
  out.append(death.reason);
  return out;
}

bool read_first_death(std::string_view bytes, FailureRecord& record) {
  wire::Reader reader(bytes);
  FirstDeath& death = record.first_death.emplace();
  death.cause = static_cast<DeathCause>(reader.u8());
  death.died_at = reader.time();
  death.fingerprint = Fingerprint{reader.u64()};
  for (std::string* text : {&death.category, &death.code, &death.source_queue}) *text = reader.bytes();
  death.reason = reader.rest();
  return !reader.failed();
}

bool read_searched(std::string_view bytes, FailureRecord& record) {
  wire::Reader reader(bytes);
  Attribute& attribute = record.searched.emplace_back();
  attribute.name = reader.bytes();
  attribute.value = reader.rest();
  return !reader.failed();
}

bool read_attempts(std::string_view bytes, FailureRecord& record) {
  wire::Reader reader(bytes);
  record.attempts = history_of(holdfast::read_attempts(reader));
  return !reader.failed() && reader.at_end();
}

}  // namespace

void put_failure_record(std::string& out, const MessageId& id, const FailureRecord& record) {
  tagged::put_text(out, kMessageId, view(record.message_id));
  tagged::put_number(out, kSourceQueueId, static_cast<std::uint64_t>(record.source_queue_id));
  tagged::put_text(out, kSourceQueue, record.source_queue);
  tagged::put_number(out, kSourceSeq, static_cast<std::uint64_t>(record.source_seq));
  tagged::put_time(out, kSentAt, record.sent_at);
  tagged::put_number(out, kCause, static_cast<std::uint64_t>(record.cause));
  tagged::put_text(out, kCategory, record.category);
  tagged::put_text(out, kReason, record.reason);
  tagged::put_text(out, kCode, record.code);
  tagged::put_text(out, kStackTrace, record.stack_trace);
  tagged::put_number(out, kDeliveries, record.deliveries);
  tagged::put_number(out, kReplays, record.replays);
  tagged::put_time(out, kFirstFailedAt, record.first_failed_at);
  tagged::put_time(out, kLastFailedAt, record.last_failed_at);
  tagged::put_time(out, kDiedAt, record.died_at);
  tagged::put_text(out, kConsumerInstance, record.consumer.instance);
  tagged::put_text(out, kConsumerVersion, record.consumer.version);
  tagged::put_text(out, kCorrelationId, record.correlation_id);
  tagged::put_text(out, kGroup, record.group);
  tagged::put_text(out, kId, view(id));
  tagged::put_number(out, kPriority, record.priority);
  tagged::put_text(out, kWorkflowVersion, record.workflow_version);
  tagged::put_number(out, kVisits, record.visits);
  if (record.attempts != AttemptHistory{}) {
    std::string bytes;
    put_attempts(bytes, record.attempts);
    tagged::put_text(out, kAttempts, bytes);
    tagged::put_text(out, kDescriptions, encode_descriptions(record.attempts));
  }
  for (const auto& [code, message] : record.causes) {
    std::string bytes;
    wire::put_bytes(bytes, code);
    bytes.append(message);
    tagged::put_text(out, kNestedError, bytes);
  }
  tagged::put_text(out, kPartialOutput, record.partial_output);
  tagged::put_number(out, kFingerprint, static_cast<std::uint64_t>(record.fingerprint));
  if (record.first_death) tagged::put_text(out, kFirstDeath, put_first_death(*record.first_death));
  for (const auto& [name, value] : record.searched) {
    std::string bytes;
    wire::put_bytes(bytes, name);
    bytes.append(value);
    tagged::put_text(out, kSearched, bytes);
  }
}

std::optional<std::string_view> reason_of_failure_record(std::string_view fields) {
  std::string_view reason;
  const bool decoded = tagged::for_each_field(fields, [&](const tagged::Field& field) {
    if (field.tag == kReason) reason = field.value;
  });
  return decoded ? std::optional(reason) : std::nullopt;
}

void read_indexed_field(const tagged::Field& field, IndexedFields& indexed) {
  switch (field.tag) {
    case kSourceQueue:
      indexed.source_queue = field.value;
      break;
    case kCause:
      indexed.cause = static_cast<DeathCause>(field.number());
      break;
    case kCategory:
      indexed.category = field.value;
      break;
    case kCode:
      indexed.code = field.value;
      break;
    case kDiedAt:
      indexed.died_at = field.time();
      break;
    case kConsumerVersion:
      indexed.consumer_version = field.value;
      break;
    case kFingerprint:
      indexed.fingerprint = Fingerprint{field.number()};
      break;
    case kSearched: {
      wire::Reader reader(field.value);
      const std::string_view name = reader.bytes();
      indexed.searched.push_back({name, reader.rest()});
      break;
    }
    default:
      break;
  }
}

bool read_failure_record_field(const tagged::Field& field, MessageId& id, FailureRecord& record) {
  switch (field.tag) {
    case kMessageId:
      read_id(field, record.message_id);
      return true;
    case kSourceQueueId:
      record.source_queue_id = QueueId{field.number()};
      return true;
    case kSourceQueue:
      record.source_queue = field.text();
      return true;
    case kSourceSeq:
      record.source_seq = Seq{field.number()};
      return true;
    case kSentAt:
      record.sent_at = field.time();
      return true;
    case kCause:
      record.cause = static_cast<DeathCause>(field.number());
      return true;
    case kCategory:
      record.category = field.text();
      return true;
    case kReason:
      record.reason = field.text();
      return true;
    case kCode:
      record.code = field.text();
      return true;
    case kStackTrace:
      record.stack_trace = field.text();
      return true;
    case kDeliveries:
      record.deliveries = static_cast<std::uint32_t>(field.number());
      return true;
    case kReplays:
      record.replays = static_cast<std::uint32_t>(field.number());
      return true;
    case kFirstFailedAt:
      record.first_failed_at = field.time();
      return true;
    case kLastFailedAt:
      record.last_failed_at = field.time();
      return true;
    case kDiedAt:
      record.died_at = field.time();
      return true;
    case kConsumerInstance:
      record.consumer.instance = field.text();
      return true;
    case kConsumerVersion:
      record.consumer.version = field.text();
      return true;
    case kCorrelationId:
      record.correlation_id = field.text();
      return true;
    case kGroup:
      record.group = field.text();
      return true;
    case kId:
      read_id(field, id);
      return true;
    case kPriority:
      record.priority = static_cast<std::uint32_t>(field.number());
      return true;
    case kWorkflowVersion:
      record.workflow_version = field.text();
      return true;
    case kVisits:
      record.visits = static_cast<std::uint32_t>(field.number());
      return true;
    case kAttempts:
      return read_attempts(field.value, record);
    case kDescriptions:
      return read_descriptions(field.value, record.attempts);
    case kNestedError:
      return read_nested_error(field.value, record);
    case kPartialOutput:
      record.partial_output = field.text();
      return true;
    case kFingerprint:
      record.fingerprint = Fingerprint{field.number()};
      return true;
    case kFirstDeath:
      return read_first_death(field.value, record);
    case kSearched:
      return read_searched(field.value, record);
    default:
      return true;
  }
}

}  // namespace holdfast
