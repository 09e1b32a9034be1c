// Dead letters: why a message died.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/ids.h"
#include "holdfast/message.h"
#include "holdfast/time.h"
#include "holdfast/triage.h"

namespace holdfast {

// Who received the message: kept in the failure record, so that "every failure of version 2.1" can
// be asked. At most limits::kConsumerBytes each.
struct Consumer {
  std::string instance = {};
  std::string version = {};

  friend bool operator==(const Consumer&, const Consumer&) = default;
};

// One of the errors that led to a failure.
struct NestedError {
  std::string code = {};
  std::string message = {};

  friend bool operator==(const NestedError&, const NestedError&) = default;
};

// What a consumer says of a delivery that failed: with a reject, with a release, or before it lets its lease
// run out. Bounds: limits.h.
struct Failure {
  std::string category = {};  // a class of failures: "validation", "timeout"
  std::string reason = {};    // what went wrong, for a person; a longer one is cut, with a mark
  std::string code = {};      // the consumer's own error code
  // One frame a line. Of a longer one the innermost frames are kept, with a mark where it was cut: the last
  // ones, or the first ones of a trace whose frames look like those of a format that begins with them.
  std::string stack_trace = {};
  std::vector<NestedError> causes = {};  // what the failure came from, the root last
  std::string partial_output = {};       // any bytes: what was done before it failed; cut as the reason

  bool empty() const { return *this == Failure{}; }

  friend bool operator==(const Failure&, const Failure&) = default;
};

using Rejection = Failure;  // the failure that a reject names

enum class DeathCause : std::uint8_t {
  kMaxDeliveries = 1,  // delivered max_deliveries times without an ack
  kRejected = 2,       // the consumer rejected it
  kExpired = 3,        // its time to live ran out
  kLifetime = 4,       // it failed longer after its first failure than the queue's lifetime
  kOverflow = 5,       // it made room in a full queue
  kSent = 6,           // it did not: a producer sent it to the dead letter queue (QueueOptions::direct_sends)
};

// "max_deliveries", "rejected", "expired", "lifetime", "overflow", "sent": stable, for logs, JSON and
// metrics.
std::string_view to_string(DeathCause cause);
std::optional<DeathCause> parse_death_cause(std::string_view text);

// How a delivery failed.
enum class AttemptEnd : std::uint8_t {
  kLeaseExpired = 1,
  kReleased = 2,  // given back, charged
  kRejected = 3,
};

// "lease_expired", "released", "rejected".
std::string_view to_string(AttemptEnd end);

// One failed delivery.
struct Attempt {
  Timestamp failed_at{};
  AttemptEnd end = AttemptEnd::kLeaseExpired;
  Consumer consumer = {};
  Duration held{0};  // from the hand-out to the failure, to the millisecond; 0 also if it is not known
  std::uint32_t extended = 0;  // how often the lease was extended; limits::kCountedExtensions or more are one
  // What the consumer said of it, its texts cut to limits::kAttempt...Bytes. Of the attempt that the message
  // died of it is empty here, since the record itself says it.
  Failure failure = {};

  friend bool operator==(const Attempt&, const Attempt&) = default;
};

// The failed deliveries of a message in its last life: the first limits::kFirstAttempts and the last
// limits::kLastAttempts of them. Of a dead letter that is looked at with its body those come behind them that
// failed since it died, out of its dead letter queue.
struct AttemptHistory {
  std::vector<Attempt> kept = {};
  std::uint32_t left_out = 0;  // how many were between the first and the last ones

  friend bool operator==(const AttemptHistory&, const AttemptHistory&) = default;
};

// Equal for failures that look alike: same cause, category, innermost frames and reason, but for numbers, ids
// and quoted texts in them. Shown as 16 hex digits.
enum class Fingerprint : std::uint64_t {};
std::string to_string(Fingerprint fingerprint);
std::optional<Fingerprint> parse_fingerprint(std::string_view text);

// How a message died for the first time: what later deaths do not overwrite.
struct FirstDeath {
  DeathCause cause = DeathCause::kRejected;
  std::string category = {};
  std::string reason = {};
  std::string code = {};
  std::string source_queue = {};  // where it came from
  Timestamp died_at{};
  Fingerprint fingerprint{};

  friend bool operator==(const FirstDeath&, const FirstDeath&) = default;
};

// The failure record of a dead letter, written in the same atomic write as the move.
struct FailureRecord {
  MessageId message_id;
  QueueId source_queue_id{};
  std::string source_queue;  // its name when the message died
  Seq source_seq{};
  Timestamp sent_at{};  // first enqueued
  DeathCause cause = DeathCause::kRejected;
  // What the last failure was, as its consumer described it; each is empty if it did not. The reason then
  // tells of the lease that ran out, or of the cause.
  std::string category;
  std::string reason;
  std::string code;
  std::string stack_trace;
  std::uint32_t deliveries = 0;  // charged deliveries in its last life
  std::uint32_t replays = 0;     // how often it was redriven before this death
  // Of its first and its last failed delivery ever, earlier lives included. The epoch if none ever failed: it
  // expired, or made room.
  Timestamp first_failed_at{};
  Timestamp last_failed_at{};
  Timestamp died_at{};
  Consumer consumer;                  // who had it last
  std::string correlation_id;         // of the message's "correlation-id" attribute
  std::string group = {};             // the message's
  std::uint32_t priority = 0;         // the message's
  std::string workflow_version = {};  // of the message's "workflow-version" attribute
  std::uint32_t visits = 1;           // how often it came to a dead letter queue, this time included
  AttemptHistory attempts = {};
  std::vector<NestedError> causes = {};  // of the last failure, as is the next
  std::string partial_output = {};
  Fingerprint fingerprint{};
  // Of a message that died before: in a dead letter queue, or after a redrive, as far as the record of that
  // death was still there. However often it dies, there is one.
  std::optional<FirstDeath> first_death = {};
  // The message's, of the names that its dead letter queue searches by (QueueOptions::searched_attributes),
  // in that order: each value cut to limits::kSearchedValueBytes, and empty where the message has none.
  Attributes searched = {};

  friend bool operator==(const FailureRecord&, const FailureRecord&) = default;
};

// The first death of the message that the record is of: an earlier one, or this one.
FirstDeath first_death_of(const FailureRecord& record);

// What became of a message that was redriven.
enum class ReplayOutcome : std::uint8_t {
  kPending = 1,        // not known: it is on its way, was purged or deleted with its queue, or a read failed
  kAcked = 2,          // in the same atomic write as the ack
  kDiedElsewhere = 3,  // again, to another dead letter queue; if to this one, its record is no history
  kDropped = 4,        // it expired, made room or was rejected, and its queue drops or discards such messages
};

// "pending", "acked", "died_elsewhere", "dropped".
std::string_view to_string(ReplayOutcome outcome);

struct Replay {
  ReplayOutcome outcome = ReplayOutcome::kPending;
  Timestamp at{};  // of the outcome; the epoch while it is pending

  friend bool operator==(const Replay&, const Replay&) = default;
};

// A message as it was before a redrive first edited it. Kept with its record, however often it dies again.
struct OriginalMessage {
  std::string body = {};
  Attributes attributes = {};

  friend bool operator==(const OriginalMessage&, const OriginalMessage&) = default;
};

// A dead letter, as it lies in its dead letter queue. A message that is redriven leaves its record there as
// history, with status replayed; one that dies again to the same queue has one record, with its replays
// raised and what people wrote about it.
struct DeadLetter {
  Seq seq{};     // its place in the dead letter queue
  MessageId id;  // its own: another one for each death, but for those that share a record
  FailureRecord record;
  Triage triage;
  bool history = false;  // the message itself is not in the dead letter queue any more
  std::string body;
  Attributes attributes;
  std::optional<Replay> replay = {};             // of history with status replayed
  std::optional<OriginalMessage> original = {};  // if a redrive edited it, and bodies were asked for
  std::vector<std::string> redacted;  // what was taken out before it was shown: "body", "attribute card"

  friend bool operator==(const DeadLetter&, const DeadLetter&) = default;
};

}  // namespace holdfast
