// The names of queues, messages, places and deliveries. Each is a type of its own, so that code that mixes
// them up does not compile.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "holdfast/error.h"

namespace holdfast {

// A QueueId is a queue's number. It is never reused: a queue that is deleted and created again gets another.
enum class QueueId : std::uint64_t {};

// A Seq is the place of a message in its queue's log. Places ascend, may have gaps, and are never reused
// within a queue.
enum class Seq : std::uint64_t {};

// Returns the place in decimal digits. JSON has a place as this text, since a place can be more than 2^53, up
// to which all readers of JSON keep numbers as they are.
std::string to_string(Seq seq);

// Names one hand-out of messages by one engine. A lease id is never reused in a data directory, not even
// after a machine crash that loses unsynced writes.
enum class LeaseId : std::uint64_t {};

// Names a message for its whole life: the id stays the same through retries, dead-lettering and redrive. It
// has 128 bits and is a version 7 UUID (RFC 9562), so ids sort by the time of the send.
struct MessageId {
  std::array<std::uint8_t, 16> bytes{};

  friend auto operator<=>(const MessageId&, const MessageId&) = default;

  // Returns the id as lower-case hex digits, grouped 8-4-4-4-12.
  std::string to_string() const;
  static Result<MessageId> parse(std::string_view text);
};

// Names one delivery of one message. Calls that start, extend or settle a delivery take its receipt. Once the
// delivery is over, its receipt settles nothing any more: such a call answers kReceiptStale or
// kMessageNotFound. A receipt stays valid when the engine restarts.
struct Receipt {
  QueueId queue{};
  Seq seq{};
  LeaseId lease{};

  friend auto operator<=>(const Receipt&, const Receipt&) = default;

  // Returns the receipt as text, for example "1.2a.100000001". Callers hand the text back and do not
  // interpret it.
  std::string to_string() const;
  static Result<Receipt> parse(std::string_view text);
};

}  // namespace holdfast

template <>
struct std::hash<holdfast::MessageId> {
  std::size_t operator()(const holdfast::MessageId& id) const noexcept {
    return std::hash<std::string_view>{}(
        std::string_view(reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()));
  }
};
