#include "server/sqs/operations/messages.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>

#include "engine/base/helpers/base64.h"
#include "engine/codec/encoding/json.h"
#include "holdfast/limits.h"
#include "server/sqs/format/sqs_limits.h"
#include "server/sqs/format/sqs_names.h"
#include "server/sqs/format/sqs_values.h"

namespace holdfast::server::sqs {
namespace {

constexpr std::string_view kOwnPrefix = "sqs.";
constexpr std::string_view kTypes = "sqs.types";
constexpr std::string_view kDeduplicationId = "sqs.deduplication-id";
constexpr std::string_view kTraceHeader = "sqs.trace-header";
constexpr std::string_view kSenderId = "sqs.sender-id";
constexpr std::string_view kAwsTraceHeader = "AWSTraceHeader";
// The answer has this attribute if the body is not text.
constexpr std::string_view kBodyEncoding = "holdfast.body-encoding";
constexpr std::string_view kString = "String";
constexpr std::string_view kAll = "All";

tl::unexpected<Fault> wrong_attribute(std::string_view name, const std::string& what) {
  return refuse(FaultCode::kInvalidParameterValue,
                "The message attribute '" + std::string(name) + "' " + what);
}

// A Decimal is a number as written, without its sign. Its size is at least 10^power and below 10^(power+1).
struct Decimal {
  std::string digits = {};  // without the zeros at both ends; 0 has none
  std::int64_t power = 0;
};

std::optional<std::int64_t> read_exponent(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::int32_t exponent = 0;  // small enough to be added to the length of a text
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return exponent;
}

std::optional<Decimal> read_decimal(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  const std::size_t letter = std::min(text.find_first_of("eE"), text.size());
  const auto exponent =
      letter == text.size() ? std::optional<std::int64_t>(0) : read_exponent(text.substr(letter + 1));
  const std::size_t point = std::min(text.find('.'), letter);
  std::string digits(text.substr(0, point));
  if (point < letter) digits += text.substr(point + 1, letter - point - 1);
  const bool is_written_right =
      exponent && !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  if (!is_written_right) return std::nullopt;
  const std::size_t first = digits.find_first_not_of('0');
  if (first == std::string::npos) return Decimal{};
  const std::int64_t power =
      *exponent + static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) - 1;
  return Decimal{digits.substr(first, digits.find_last_not_of('0') + 1 - first), power};
}

// Returns whether a message attribute of the type Number may have this value. The digits themselves are
// compared, since a double would be rounded to a bound that they are beyond.
bool is_number(std::string_view text) {
  const auto number = read_decimal(text);
  if (!number) return false;
  const auto& [digits, power] = *number;
  const bool is_the_most = power == limits::kNumberPowers.most && digits == "1";
  const bool is_in_range = digits.empty() || is_the_most ||
                           (power >= limits::kNumberPowers.least && power < limits::kNumberPowers.most);
  return is_in_range && digits.size() <= limits::kNumberDigits;
}

bool is_attribute_name(std::string_view name) {
  const bool has_characters = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
  std::string small(name);
  std::ranges::transform(small, small.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return has_characters && !name.empty() && !name.starts_with('.') && !name.ends_with('.') &&
         name.find("..") == std::string_view::npos && !small.starts_with("aws.") &&
         !small.starts_with("amazon.") && !name.starts_with(kOwnPrefix);
}

// Refuses values in fields that the type does not have: they would be lost without a word.
Outcome<void> check_other_fields(std::string_view name, const Json& from, const TypedValue& typed) {
  for (const std::string_view list : {"StringListValues", "BinaryListValues"}) {
    if (has(from, list) && !from[std::string(list)].empty())
      return refuse(FaultCode::kUnsupportedOperation, "The message attribute '" + std::string(name) +
                                                          "' has " + std::string(list) +
                                                          ", and an attribute of a message has one value.");
  }
  if (text_in(from, typed.is_binary() ? "StringValue" : "BinaryValue").empty()) return {};
  const std::string field = typed.is_binary() ? "BinaryValue" : "StringValue";
  return wrong_attribute(name, "with type '" + typed.type + "' must use field '" + field + "' alone.");
}

Outcome<TypedValue> read_typed(std::string_view name, const Json& from) {
  TypedValue typed{.type = text_in(from, "DataType"), .value = {}};
  const std::string base = typed.type.substr(0, typed.type.find('.'));
  if (typed.type.empty()) return wrong_attribute(name, "must contain a non-empty message attribute type.");
  if (!is_sendable(typed.type))
    return wrong_attribute(name, "has a type with characters that are not allowed.");
  if (typed.type.size() > limits::kAttributeTypeBytes)
    return wrong_attribute(name, "has a type that is longer than 256 bytes.");
  if (typed.is_binary()) {
    auto bytes = base64_decode(text_in(from, "BinaryValue"));
    if (!bytes) return wrong_attribute(name, "is not base64.");
    typed.value = *std::move(bytes);
  } else {
    typed.value = text_in(from, "StringValue");
  }
  if (base != "String" && base != "Number" && base != "Binary") {
    return wrong_attribute(name,
                           "has an invalid message attribute type, the set of supported type prefixes is "
                           "Binary, Number, and String.");
  }
  if (auto ok = check_other_fields(name, from, typed); !ok) return tl::unexpected(ok.error());
  if (typed.value.empty())
    return wrong_attribute(name, "must contain a non-empty message attribute value for its type.");
  if (base == "Number" && !is_number(typed.value))
    return wrong_attribute(
        name,
        "is of the type Number, and its value is not a number of at most 38 digits between "
        "10^-128 and 10^126.");
  if (!typed.is_binary() && !is_sendable(typed.value))
    return wrong_attribute(name, "has characters that are not allowed.");
  return typed;
}

Outcome<TypedAttributes> read_attributes(const Json& input) {
  TypedAttributes attributes;
  const auto found = input.find("MessageAttributes");
  if (found == input.end()) return attributes;
  if (found->size() > limits::kMessageAttributes) {
    return refuse(FaultCode::kInvalidParameterValue,
                  "Number of message attributes [" + std::to_string(found->size()) +
                      "] exceeds the allowed maximum [" + std::to_string(limits::kMessageAttributes) + "].");
  }
  for (const auto& [name, value] : found->items()) {
    if (!is_attribute_name(name)) return wrong_attribute(name, "has a name that is not allowed.");
    if (name.size() > holdfast::limits::kAttributeNameBytes)
      return wrong_attribute(name, "has a name of more than 128 bytes, which is the limit here.");
    auto typed = read_typed(name, value);
    if (!typed) return tl::unexpected(typed.error());
    attributes[name] = *std::move(typed);
  }
  return attributes;
}

Outcome<TypedAttributes> read_system_attributes(const Json& input) {
  TypedAttributes attributes;
  const auto found = input.find("MessageSystemAttributes");
  if (found == input.end()) return attributes;
  for (const auto& [name, value] : found->items()) {
    if (name != kAwsTraceHeader)
      return invalid_value(name, "MessageSystemAttributes", "Only AWSTraceHeader is supported.");
    auto typed = read_typed(name, value);
    if (!typed) return tl::unexpected(typed.error());
    if (typed->type != kString) return wrong_attribute(name, "must be of the type String.");
    attributes[name] = *std::move(typed);
  }
  return attributes;
}

std::size_t bytes_of(const TypedAttributes& attributes) {
  std::size_t bytes = 0;
  for (const auto& [name, typed] : attributes) bytes += name.size() + typed.type.size() + typed.value.size();
  return bytes;
}

void add_divided(Attributes& to, std::string_view name, std::string_view value) {
  do {
    const auto part = value.substr(0, holdfast::limits::kAttributeValueBytes);
    to.push_back({std::string(name), std::string(part)});
    value.remove_prefix(part.size());
  } while (!value.empty());
}

Attributes stored(const TypedAttributes& attributes, const TypedAttributes& system,
                  const std::string& deduplication_id, const std::string& sender) {
  Attributes all;
  Json types = Json::object();
  for (const auto& [name, typed] : attributes) {
    add_divided(all, name, typed.value);
    if (typed.type != kString) types[name] = typed.type;
  }
  if (!types.empty()) add_divided(all, kTypes, dump_json(types));
  if (!deduplication_id.empty()) all.push_back({std::string(kDeduplicationId), deduplication_id});
  const auto trace = system.find(std::string(kAwsTraceHeader));
  if (trace != system.end()) add_divided(all, kTraceHeader, trace->second.value);
  if (!sender.empty()) all.push_back({std::string(kSenderId), sender});
  return all;
}

// --- groups and deduplication ---

Outcome<void> check_kind(const Json& input, const SendRequirements& requirements) {
  const bool is_for_fifo = has(input, "MessageGroupId") || has(input, "MessageDeduplicationId");
  if (!is_for_fifo || !requirements.is_fifo_by_name_alone) return {};
  return refuse(FaultCode::kUnsupportedOperation,
                requirements.queue +
                    " is not a FIFO queue, despite its name: it has no ordered groups, or no deduplication.");
}

Outcome<std::string> read_deduplication_id(const Json& input, const SendRequirements& requirements,
                                           const std::string& body) {
  if (!has(input, "MessageDeduplicationId")) {
    if (!requirements.is_fifo) return std::string();
    if (requirements.is_by_content) return sha256_hex(body);
    return refuse(FaultCode::kInvalidParameterValue,
                  "The queue should either have ContentBasedDeduplication enabled or "
                  "MessageDeduplicationId provided explicitly");
  }
  std::string id = text_in(input, "MessageDeduplicationId");
  if (!requirements.is_fifo) {
    return invalid_value(id, "MessageDeduplicationId",
                         "The request includes a parameter that is not valid for this queue type.");
  }
  if (auto ok = check_id(id, "MessageDeduplicationId"); !ok) return tl::unexpected(ok.error());
  return id;
}

Outcome<void> read_group(const Json& input, const SendRequirements& requirements, Message& message) {
  if (!has(input, "MessageGroupId"))
    return requirements.is_fifo ? missing("MessageGroupId") : Outcome<void>();
  message.group = text_in(input, "MessageGroupId");
  return check_id(message.group, "MessageGroupId");
}

Outcome<void> read_delay(const Json& input, const SendRequirements& requirements, Message& message) {
  const auto delay = number_in(input, "DelaySeconds", limits::kDelay);
  if (!delay) return tl::unexpected(delay.error());
  if (!*delay) return {};
  if (requirements.is_fifo && **delay > 0) {
    return invalid_value(std::to_string(**delay), "DelaySeconds",
                         "The request include parameter that is not valid for this queue type.");
  }
  if (!requirements.is_fifo) message.delay = std::chrono::seconds(**delay);
  return {};
}

// --- what is received ---

// Returns whether the value goes on in the next attribute of its name, as add_divided() leaves it: all of its
// parts so far are full.
bool may_go_on(std::string_view value) {
  return !value.empty() && value.size() % holdfast::limits::kAttributeValueBytes == 0;
}

// Returns the type with which the value was sent. Clients of other protocols can change the value and the
// types, so a type that the value cannot have counts as none.
std::string type_of(const Json& types, const std::string& name, const std::string& value) {
  const bool is_text = is_sendable(value);
  const auto said = types.find(name);
  if (said != types.end() && said->is_string()) {
    const TypedValue typed{.type = said->get<std::string>(), .value = {}};
    if (is_sendable(typed.type) && (is_text || typed.is_binary())) return typed.type;
  }
  return std::string(is_text ? kString : "Binary");
}

// Returns the attributes with their types. A value may be divided over several attributes of one name. Of
// other attributes that share a name, which SQS cannot express, the first one is given. Names are as XML can
// have them: clients check the digest against the names that they are shown.
TypedAttributes typed_attributes(const Delivery& delivery) {
  TypedAttributes typed;
  std::string types;
  for (const auto& [name, value] : delivery.attributes) {
    if (name == kTypes) types += value;
    if (name.starts_with(kOwnPrefix)) continue;
    const auto [attribute, is_first] = typed.try_emplace(made_sendable(name));
    if (is_first || may_go_on(attribute->second.value)) attribute->second.value += value;
  }
  const Json known = parse_json(types);
  for (auto& [name, attribute] : typed) attribute.type = type_of(known, name, attribute.value);
  return typed;
}

std::string joined(const Delivery& delivery, std::string_view name) {
  std::string value;
  for (const auto& attribute : delivery.attributes) {
    if (attribute.name == name) value += attribute.value;
  }
  return value;
}

Json json_of(const TypedAttributes& attributes) {
  Json all = Json::object();
  for (const auto& [name, typed] : attributes) {
    Json value = {{"DataType", typed.type}};
    if (typed.is_binary()) {
      value["BinaryValue"] = base64_encode(typed.value);
    } else {
      value["StringValue"] = typed.value;
    }
    all[name] = std::move(value);
  }
  return all;
}

std::string millis(Timestamp time) {
  return std::to_string(
      std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count());
}

// Returns when the message was first handed out; nothing if nothing tells.
std::optional<Timestamp> first_received(const Delivery& delivery) {
  const FailureRecord* letter = delivery.failure.get();
  if (letter != nullptr && !letter->attempts.kept.empty() && letter->attempts.kept.front().held > Duration{0})
    return letter->attempts.kept.front().failed_at - letter->attempts.kept.front().held;
  if (delivery.deliveries == 1 && letter == nullptr) return delivery.lease_expires_at - delivery.lease_left;
  return std::nullopt;
}

Json system_attributes(const Delivery& delivery, const Wanted& wanted, const SqsOptions& options) {
  const FailureRecord* letter = delivery.failure.get();  // null unless it is a dead letter
  Json all = Json::object();
  const auto add = [&](std::string_view name, std::string value) {
    if (!value.empty() && wanted.wants_system(name)) all[std::string(name)] = std::move(value);
  };
  const std::uint32_t before = letter == nullptr ? 0 : letter->deliveries;
  // Clients that need not sign send as the account itself.
  const std::string sender = joined(delivery, kSenderId);
  add("SenderId", sender.empty() ? options.account : sender);
  add("SentTimestamp", millis(delivery.sent_at));
  add("ApproximateReceiveCount", std::to_string(before + delivery.deliveries));
  if (const auto first = first_received(delivery)) add("ApproximateFirstReceiveTimestamp", millis(*first));
  add("MessageGroupId", delivery.group);
  add("MessageDeduplicationId", joined(delivery, kDeduplicationId));
  add(kAwsTraceHeader, joined(delivery, kTraceHeader));
  if (wanted.has_numbers) add(kSequenceNumber, sequence_number(delivery.id));
  const bool has_source =
      letter != nullptr && !letter->source_queue.empty();  // the message was not sent here directly
  if (has_source) add("DeadLetterQueueSourceArn", arn_of(letter->source_queue, options));
  return all;
}

}  // namespace

std::string sequence_number(const MessageId& id) {
  // The number consists of the first 64 bits of a version 7 UUID, its time and a counter, without the 4 bits
  // that say the version.
  constexpr std::size_t kDigits = 20;
  std::uint64_t high = 0;
  for (std::size_t i = 0; i < sizeof high; ++i) high = high << 8 | id.bytes[i];
  const std::uint64_t number = high >> 16 << 12 | (high & 0xfff);
  const std::string digits = std::to_string(number);
  return std::string(kDigits - digits.size(), '0') + digits;
}

Outcome<Outgoing> read_message(const Json& input, const SendRequirements& requirements) {
  Outgoing outgoing;
  Message& message = outgoing.message;
  if (auto ok = check_kind(input, requirements); !ok) return tl::unexpected(ok.error());
  message.body = text_in(input, "MessageBody");
  if (message.body.empty()) return missing("MessageBody");
  if (!is_sendable(message.body)) {
    return refuse(FaultCode::kInvalidMessageContents,
                  "Invalid characters were found. Allowed are #x9, #xA, #xD, #x20 to #xD7FF, #xE000 to "
                  "#xFFFD and #x10000 to #x10FFFF.");
  }
  const auto attributes = read_attributes(input);
  if (!attributes) return tl::unexpected(attributes.error());
  const auto system = read_system_attributes(input);
  if (!system) return tl::unexpected(system.error());
  outgoing.bytes = message.body.size() + bytes_of(*attributes);
  if (outgoing.bytes > requirements.most_bytes) {
    return refuse(FaultCode::kInvalidParameterValue,
                  "One or more parameters are invalid. Reason: Message must be shorter than " +
                      std::to_string(requirements.most_bytes) + " bytes.");
  }
  if (auto ok = read_delay(input, requirements, message); !ok) return tl::unexpected(ok.error());
  if (auto ok = read_group(input, requirements, message); !ok) return tl::unexpected(ok.error());
  auto id = read_deduplication_id(input, requirements, message.body);
  if (!id) return tl::unexpected(id.error());
  message.attributes = stored(*attributes, *system, *id, requirements.sender);
  message.deduplication_id =
      requirements.is_by_group && !id->empty() ? sha256_hex(message.group + '\0' + *id) : *std::move(id);

  outgoing.answer["MD5OfMessageBody"] = md5_hex(message.body);
  if (!attributes->empty()) outgoing.answer["MD5OfMessageAttributes"] = md5_of(*attributes);
  if (!system->empty()) outgoing.answer["MD5OfMessageSystemAttributes"] = md5_of(*system);
  return outgoing;
}

bool Wanted::wants_system(std::string_view name) const {
  return system.contains(kAll) || system.contains(name);
}

bool Wanted::wants(std::string_view name) const {
  return std::ranges::any_of(names, [name](std::string_view asked) {
    if (asked == kAll || asked == ".*" || asked == name) return true;
    return asked.ends_with(".*") && name.starts_with(asked.substr(0, asked.size() - 1));
  });
}

Json write_message(const Delivery& delivery, const Wanted& wanted, std::string_view queue,
                   const SqsOptions& options) {
  const bool is_text = is_sendable(delivery.body);
  const std::string body = is_text ? std::string(delivery.body) : base64_encode(delivery.body);
  Json message = {{"MessageId", delivery.id.to_string()},
                  {"ReceiptHandle", handle_of(queue, delivery.receipt)},
                  {"MD5OfBody", md5_hex(body)},
                  {"Body", body}};
  Json system = system_attributes(delivery, wanted, options);
  if (!system.empty()) message["Attributes"] = std::move(system);
  TypedAttributes attributes = typed_attributes(delivery);
  if (!is_text) attributes[std::string(kBodyEncoding)] = {std::string(kString), "base64"};
  std::erase_if(attributes, [&](const auto& entry) { return !wanted.wants(entry.first); });
  if (!attributes.empty()) {
    message["MD5OfMessageAttributes"] = md5_of(attributes);
    message["MessageAttributes"] = json_of(attributes);
  }
  return message;
}

}  // namespace holdfast::server::sqs
