#include "engine/codec/dead_letters/dead_letter_filter.h"

#include <algorithm>
#include <utility>
#include <vector>

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

std::optional<std::uint64_t> number(const std::optional<Timestamp>& time) {
  if (!time) return std::nullopt;
  return static_cast<std::uint64_t>(time->time_since_epoch().count());
}

template <class Enum>
std::optional<std::uint64_t> number(const std::optional<Enum>& value) {
  if (!value) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

// The read functions read the value of a field, and return false if it does not decode.
bool read_asked(std::string_view value, std::optional<std::string>& text) {
  if (!value.starts_with('=')) return false;
  text = value.substr(1);
  return true;
}

std::optional<std::uint64_t> asked_number(std::string_view value) {
  wire::Reader reader(value.substr(1));
  const std::uint64_t number = reader.u64();
  const bool whole = value.starts_with('=') && !reader.failed() && reader.at_end();
  return whole ? std::optional(number) : std::nullopt;
}

bool read_asked(std::string_view value, std::optional<Timestamp>& time) {
  const auto number = asked_number(value);
  if (number) time = Timestamp(Duration(static_cast<std::int64_t>(*number)));
  return number.has_value();
}

bool read_asked(std::string_view value, std::optional<Fingerprint>& fingerprint) {
  const auto number = asked_number(value);
  if (number) fingerprint = Fingerprint{*number};
  return number.has_value();
}

// Reads one of the values 1 to `last`.
template <class Enum>
bool read_asked(std::string_view value, Enum last, std::optional<Enum>& one) {
  const auto number = asked_number(value);
  if (!number || *number == 0 || *number > static_cast<std::uint64_t>(last)) return false;
  one = static_cast<Enum>(*number);
  return true;
}

bool read_id(std::string_view value, std::vector<MessageId>& ids) {
  MessageId id;
  if (value.size() != id.bytes.size()) return false;
  std::ranges::copy(value, id.bytes.begin());
  ids.push_back(id);
  return true;
}

bool read_seq(std::string_view value, std::vector<Seq>& seqs) {
  const auto number = asked_number(value);
  if (number) seqs.push_back(Seq{*number});
  return number.has_value();
}

bool read_attribute(std::string_view value, Attributes& attributes) {
  wire::Reader reader(value);
  std::string name(reader.bytes());
  if (reader.failed()) return false;
  attributes.push_back({std::move(name), std::string(reader.rest())});
  return true;
}

bool read_part(std::string_view value, std::string& part) {
  part = value;
  return true;
}

bool read_count(std::string_view value, std::uint32_t& count) {
  wire::Reader reader(value);
  count = reader.varint32();
  return !reader.failed() && reader.at_end();
}

// Returns false if the field does not decode, or is of a kind that this version does not know: without it,
// the filter would select more.
bool decode_field(const tagged::Field& field, DeadLetterFilter& filter) {
  const std::string_view value = field.value;
  if (value.empty()) return false;
  switch (field.tag) {
    case kId:
      return read_id(value, filter.ids);
    case kSeq:
      return read_seq(value, filter.seqs);
    case kDiedFrom:
      return read_asked(value, filter.died_from);
    case kDiedBefore:
      return read_asked(value, filter.died_before);
    case kCause:
      return read_asked(value, DeathCause::kSent, filter.cause);
    case kCategory:
      return read_asked(value, filter.category);
    case kCode:
      return read_asked(value, filter.code);
    case kFingerprint:
      return read_asked(value, filter.fingerprint);
    case kSource:
      return read_asked(value, filter.source);
    case kConsumerVersion:
      return read_asked(value, filter.consumer_version);
    case kStatus:
      return read_asked(value, DeadLetterStatus::kAbandoned, filter.status);
    case kAssignee:
      return read_asked(value, filter.assignee);
    case kReason:
      return read_part(value, filter.reason);
    case kCorrelationId:
      return read_asked(value, filter.correlation_id);
    case kWorkflowVersion:
      return read_asked(value, filter.workflow_version);
    case kMinReplays:
      return read_count(value, filter.min_replays);
    case kAttribute:
      return read_attribute(value, filter.attributes);
    case kBody:
      return read_part(value, filter.body);
    default:
      return false;
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

std::optional<DeadLetterFilter> decode_dead_letter_filter(std::string_view bytes) {
  DeadLetterFilter filter;
  bool decoded = true;
  const bool whole = tagged::for_each_field(
      bytes, [&](const tagged::Field& field) { decoded = decoded && decode_field(field, filter); });
  return whole && decoded ? std::optional(std::move(filter)) : std::nullopt;
}

}  // namespace holdfast
