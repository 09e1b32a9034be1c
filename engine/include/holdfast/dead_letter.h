// Dead letters: why a message died, and bringing it back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/ids.h"
#include "holdfast/message.h"
#include "holdfast/time.h"

namespace holdfast {

// Who received the message: kept in the failure record, so that "every failure of version 2.1" can
// be asked. At most limits::kConsumerBytes each.
struct Consumer {
  std::string instance = {};
  std::string version = {};

  friend bool operator==(const Consumer&, const Consumer&) = default;
};

// What a consumer says when it rejects a message. Bounds: limits.h.
struct Rejection {
  std::string category = {};     // a class of failures: "validation", "timeout"
  std::string reason = {};       // what went wrong, for a person
  std::string code = {};         // the consumer's own error code
  std::string stack_trace = {};  // one frame a line, innermost last; the last frames and bytes are kept
};

enum class DeathCause : std::uint8_t {
  kMaxDeliveries = 1,  // delivered max_deliveries times without an ack
  kRejected = 2,       // the consumer rejected it
};

// "max_deliveries", "rejected": stable, for logs, JSON and metrics.
std::string_view to_string(DeathCause cause);

// The failure record of a dead letter, written in the same atomic write as the move.
struct FailureRecord {
  MessageId message_id;
  QueueId source_queue_id{};
  std::string source_queue;  // its name when the message died
  Seq source_seq{};
  Timestamp sent_at{};  // first enqueued
  DeathCause cause = DeathCause::kRejected;
  std::string category;  // empty if the consumer gave none, as are the next three
  std::string reason;    // of max_deliveries: how often it was delivered
  std::string code;
  std::string stack_trace;
  std::uint32_t deliveries = 0;  // charged deliveries in its last life
  std::uint32_t replays = 0;     // how often it was redriven before this death
  Timestamp first_failed_at{};   // of its first failed delivery ever, earlier lives included
  Timestamp last_failed_at{};
  Timestamp died_at{};
  Consumer consumer;           // who had it last
  std::string correlation_id;  // of the message's "correlation-id" attribute
  std::string group = {};      // the message's

  friend bool operator==(const FailureRecord&, const FailureRecord&) = default;
};

// A dead letter, as it lies in its dead letter queue.
struct DeadLetter {
  Seq seq{};  // its place in the dead letter queue
  FailureRecord record;
  std::string body;
  Attributes attributes;
};

struct ListDeadLettersOptions {
  std::optional<Seq> after = {};             // continue after this one (DeadLetterPage::next)
  std::size_t max = 100;                     // 1..limits::kListPage
  std::optional<std::string> category = {};  // only this category
  bool bodies = false;                       // fill in body and attributes
};

struct DeadLetterPage {
  std::vector<DeadLetter> items;  // oldest first
  std::optional<Seq> next;        // set if there may be more
};

struct RedriveOptions {
  std::optional<std::string> category = {};  // only this category
};

// The reply to redrive.
struct Redriven {
  std::uint64_t moved = 0;
  // Left in place: leased by a consumer of the dead letter queue, or their source queue is deleted.
  std::uint64_t skipped = 0;
};

}  // namespace holdfast
