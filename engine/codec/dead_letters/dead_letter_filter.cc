#include "engine/codec/dead_letters/dead_letter_filter.h"

#include <algorithm>

#include "engine/codec/encoding/tagged.h"

namespace holdfast {
namespace {

// Tags are never changed and never used again. There is one field for each id and seq.
enum Tag : std::uint32_t {
  kId = 1,
  kSeq = 2,
  kDiedFrom = 3,
  kDiedBefore = 4,
  kCause = 5,
  kCategory = 6,
  kCode = 7,
  kFingerprint = 8,
  kSource = 9,
  kConsumerVersion = 10,
  kStatus = 11,
  kAssignee = 12,
  kReason = 13,
  kCorrelationId = 14,
  kWorkflowVersion = 15,
  kMinReplays = 16,
  kAttribute = 17,  // one field each: name:bytes value
  kBody = 18,
};

// Puts the value with a byte before it: an empty text and a zero are conditions too, and a field may not be
// empty.
void put_asked(std::string& out, Tag tag, const std::optional<std::string>& text) {
  if (text) tagged::put_text(out, tag, "=" + *text);
}

void put_asked(std::string& out, Tag tag, std::optional<std::uint64_t> number) {
  if (!number) return;
  std::string bytes = "=";
  wire::put_u64(bytes, *number);
  tagged::put_text(out, tag, bytes);
}

std::string asked_text(const tagged::Field& field) { return std::string(field.value.substr(1)); }
std::uint64_t asked_number(const tagged::Field& field) { return wire::Reader(field.value.substr(1)).u64(); }
Timestamp asked_time(const tagged::Field& field) {
  return Timestamp(Duration(static_cast<std::int64_t>(asked_number(field))));
}

std::optional<std::uint64_t> number(const std::optional<Timestamp>& time) {
  if (!time) return std::nullopt;
  return static_cast<std::uint64_t>(time->time_since_epoch().count());
}

template <class Enum>
std::optional<std::uint64_t> number(const std::optional<Enum>& value) {
  if (!value) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

void decode_field(const tagged::Field& field, DeadLetterFilter& filter) {
  if (field.value.empty()) return;
  switch (field.tag) {
    case kId: {
      MessageId& id = filter.ids.emplace_back();
      std::copy_n(field.value.begin(), std::min(field.value.size(), id.bytes.size()), id.bytes.begin());
      return;
    }
    case kSeq:
      filter.seqs.push_back(Seq{asked_number(field)});
      return;
    case kDiedFrom:
      filter.died_from = asked_time(field);
      return;
    case kDiedBefore:
      filter.died_before = asked_time(field);
      return;
    case kCause:
      filter.cause = static_cast<DeathCause>(asked_number(field));
      return;
    case kCategory:
      filter.category = asked_text(field);
      return;
    case kCode:
      filter.code = asked_text(field);
      return;
    case kFingerprint:
      filter.fingerprint = Fingerprint{asked_number(field)};
      return;
    case kSource:
      filter.source = asked_text(field);
      return;
    case kConsumerVersion:
      filter.consumer_version = asked_text(field);
      return;
    case kStatus:
      filter.status = static_cast<DeadLetterStatus>(asked_number(field));
      return;
    case kAssignee:
      filter.assignee = asked_text(field);
      return;
    case kReason:
      filter.reason = field.text();
      return;
    case kCorrelationId:
      filter.correlation_id = asked_text(field);
      return;
    case kWorkflowVersion:
      filter.workflow_version = asked_text(field);
      return;
    case kMinReplays:
      filter.min_replays = static_cast<std::uint32_t>(field.number());
      return;
    case kAttribute: {
      wire::Reader reader(field.value);
      Attribute& attribute = filter.attributes.emplace_back();
      attribute.name = reader.bytes();
      attribute.value = reader.rest();
      return;
    }
    case kBody:
      filter.body = field.text();
      return;
    default:
      return;
  }
}

}  // namespace

std::string encode_dead_letter_filter(const DeadLetterFilter& filter) {
  std::string out;
  for (const MessageId& id : filter.ids) {
    tagged::put_text(out, kId, {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()});
  }
  for (const Seq seq : filter.seqs) put_asked(out, kSeq, static_cast<std::uint64_t>(seq));
  put_asked(out, kDiedFrom, number(filter.died_from));
  put_asked(out, kDiedBefore, number(filter.died_before));
  put_asked(out, kCause, number(filter.cause));
  put_asked(out, kCategory, filter.category);
  put_asked(out, kCode, filter.code);
  put_asked(out, kFingerprint, number(filter.fingerprint));
  put_asked(out, kSource, filter.source);
  put_asked(out, kConsumerVersion, filter.consumer_version);
  put_asked(out, kStatus, number(filter.status));
  put_asked(out, kAssignee, filter.assignee);
  tagged::put_text(out, kReason, filter.reason);
  put_asked(out, kCorrelationId, filter.correlation_id);
  put_asked(out, kWorkflowVersion, filter.workflow_version);
  tagged::put_number(out, kMinReplays, filter.min_replays);
  for (const auto& [name, value] : filter.attributes) {
    std::string bytes;
    wire::put_bytes(bytes, name);
    bytes.append(value);
    tagged::put_text(out, kAttribute, bytes);
  }
  tagged::put_text(out, kBody, filter.body);
  return out;
}

DeadLetterFilter decode_dead_letter_filter(std::string_view bytes) {
  DeadLetterFilter filter;
  tagged::for_each_field(bytes, [&](const tagged::Field& field) { decode_field(field, filter); });
  return filter;
}

}  // namespace holdfast
