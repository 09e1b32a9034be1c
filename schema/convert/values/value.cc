#include "schema/convert/values/value.h"

#include <algorithm>
#include <limits>

#include "holdfast/limits.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/list.h"

namespace holdfast::convert {
namespace {

std::uint64_t big_endian(const std::uint8_t* bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | bytes[i];
  return value;
}

void put_big_endian(std::uint64_t value, std::uint8_t* bytes) {
  for (int i = 7; i >= 0; --i, value >>= 8) bytes[i] = static_cast<std::uint8_t>(value);
}

}  // namespace

void write(const MessageId& from, wire::MessageId::Builder to) {
  to.setHigh(big_endian(from.bytes.data()));
  to.setLow(big_endian(from.bytes.data() + 8));
}

MessageId read(wire::MessageId::Reader from) {
  MessageId id;
  put_big_endian(from.getHigh(), id.bytes.data());
  put_big_endian(from.getLow(), id.bytes.data() + 8);
  return id;
}

void write(const Receipt& from, wire::Receipt::Builder to) {
  to.setQueue(static_cast<std::uint64_t>(from.queue));
  to.setSeq(static_cast<std::uint64_t>(from.seq));
  to.setLease(static_cast<std::uint64_t>(from.lease));
}

Receipt read(wire::Receipt::Reader from) {
  return {QueueId(from.getQueue()), Seq(from.getSeq()), LeaseId(from.getLease())};
}

void write(const Consumer& from, wire::Consumer::Builder to) {
  to.setInstance(as_text(from.instance));
  to.setVersion(as_text(from.version));
}

Consumer read(wire::Consumer::Reader from) {
  return {.instance = string(from.getInstance()), .version = string(from.getVersion())};
}

void write(const Rejection& from, wire::Rejection::Builder to) {
  to.setCategory(as_text(from.category));
  to.setReason(as_text(from.reason));
  to.setCode(as_text(from.code));
  to.setStackTrace(as_text(from.stack_trace));
  if (!from.causes.empty()) {
    auto causes = to.initCauses(static_cast<unsigned>(from.causes.size()));
    for (unsigned i = 0; i < causes.size(); ++i) {
      causes[i].setCode(as_text(from.causes[i].code));
      causes[i].setMessage(as_text(from.causes[i].message));
    }
  }
  if (!from.partial_output.empty()) to.setPartialOutput(as_data(from.partial_output));
}

Rejection read(wire::Rejection::Reader from) {
  Rejection rejection{.category = string(from.getCategory()),
                      .reason = string(from.getReason()),
                      .code = string(from.getCode()),
                      .stack_trace = string(from.getStackTrace()),
                      .partial_output = string(from.getPartialOutput())};
  const auto causes = from.getCauses();
  const auto count = size_to_check(causes, limits::kNestedErrors);
  rejection.causes.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    rejection.causes.push_back(
        {.code = string(causes[i].getCode()), .message = string(causes[i].getMessage())});
  }
  return rejection;
}

void write(const Attributes& from, capnp::List<wire::Attribute>::Builder to) {
  for (unsigned i = 0; i < to.size(); ++i) {
    to[i].setName(as_text(from[i].name));
    to[i].setValue(as_data(from[i].value));
  }
}

Attributes read(capnp::List<wire::Attribute>::Reader from) {
  const auto count = size_to_check(from, limits::kAttributes);
  Attributes attributes;
  attributes.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    attributes.push_back({.name = string(from[i].getName()), .value = string(from[i].getValue())});
  }
  return attributes;
}

std::uint64_t words_of(std::string_view body, const Attributes& attributes) {
  constexpr std::uint64_t kWordsWithoutContent = 24;
  constexpr std::uint64_t kWordsOfAttribute = 4;  // as many as for the body, padding included
  std::uint64_t bytes = body.size();
  for (const auto& [name, value] : attributes) bytes += name.size() + value.size();
  return kWordsWithoutContent + bytes / sizeof(capnp::word) + attributes.size() * kWordsOfAttribute;
}

void write(const std::vector<std::string>& from, capnp::List<capnp::Text>::Builder to) {
  for (unsigned i = 0; i < to.size(); ++i) to.set(i, as_text(from[i]));
}

std::vector<std::string> read(capnp::List<capnp::Text>::Reader from, std::size_t limit) {
  std::vector<std::string> texts;
  for (unsigned i = 0; i < size_to_check(from, limit); ++i) texts.push_back(string(from[i]));
  return texts;
}

wire::Durability to_wire(std::optional<Durability> from) {
  if (!from) return wire::Durability::QUEUE_DEFAULT;
  return *from == Durability::kFsync ? wire::Durability::FSYNC : wire::Durability::BUFFERED;
}

Result<std::optional<Durability>> read_choice(wire::Durability from, std::string_view field) {
  if (from == wire::Durability::QUEUE_DEFAULT) return std::optional<Durability>();
  return read_durability(from, field).map([](Durability value) { return std::optional(value); });
}

Result<Durability> read_durability(wire::Durability from, std::string_view field) {
  switch (from) {
    case wire::Durability::FSYNC:
      return Durability::kFsync;
    case wire::Durability::BUFFERED:
      return Durability::kBuffered;
    default:
      return fail(ErrorCode::kInvalidArgument,
                  std::string(field) + ": unknown value " + std::to_string(static_cast<unsigned>(from)));
  }
}

std::uint32_t saturated(std::size_t count) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(count, kMost));
}

Result<void> check_count(std::string_view field, std::uint64_t count, std::uint64_t limit) {
  if (count <= limit) return {};
  return fail(ErrorCode::kLimitExceeded, std::string(field) + ": " + std::to_string(count) +
                                             " entries, at most " + std::to_string(limit));
}

}  // namespace holdfast::convert
