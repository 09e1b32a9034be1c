// Distinct types for what a message, a place in a queue and a delivery are called, so that a
// mix-up does not compile.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "holdfast/error.h"

namespace holdfast {

// A queue's number. Never reused: a queue deleted and created again is another queue.
enum class QueueId : std::uint64_t {};

// A message's place in its queue's log. Ascending, never reused within a queue; may have gaps.
enum class Seq : std::uint64_t {};

// Names one hand-out of messages by one engine. Never reused in a data directory, not even after
// a machine crash that loses unsynced writes.
enum class LeaseId : std::uint64_t {};

// A message's name for life: it keeps it through retries, dead-lettering and redrive.
// 128 bits, a version 7 UUID (RFC 9562): sorts by the time of the send.
struct MessageId {
  std::array<std::uint8_t, 16> bytes{};

  friend auto operator<=>(const MessageId&, const MessageId&) = default;

  std::string to_string() const;  // 8-4-4-4-12 lower-case hex digits
  static Result<MessageId> parse(std::string_view text);
};

// Names one delivery of one message: what ack, extend, release and reject take. A receipt whose
// delivery is over never settles anything; it answers kReceiptStale or kMessageNotFound.
// Valid across restarts of the engine.
struct Receipt {
  QueueId queue{};
  Seq seq{};
  LeaseId lease{};

  friend auto operator<=>(const Receipt&, const Receipt&) = default;

  std::string to_string() const;  // "1.2a.100000001": three hex numbers, opaque to callers
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
