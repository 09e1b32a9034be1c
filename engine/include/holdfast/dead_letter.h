// Dead letters and their failure records: which message died, and why.
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

// A Consumer says who receives messages. The failure record keeps it, so that people can ask for every
// failure of version 2.1. Each text has at most limits::kConsumerBytes.
struct Consumer {
  std::string instance = {};
  std::string version = {};

  friend bool operator==(const Consumer&, const Consumer&) = default;
};

// A NestedError is one of the errors that led to a failure.
struct NestedError {
  std::string code = {};
  std::string message = {};

  friend bool operator==(const NestedError&, const NestedError&) = default;
};

// A consumer says this about a delivery that failed: when it rejects it, when it releases it, or before it
// lets the lease run out. limits.h has the bounds; a longer text is refused unless it says otherwise here.
struct Failure {
  std::string category = {};  // a class of failures: "validation", "timeout"
  std::string reason = {};    // what went wrong, for a person; a longer text is cut and ends in a mark
  std::string code = {};      // the consumer's own error code
  // The trace has one frame a line. If it is too long, its innermost frames are kept, and a mark says where
  // it was cut. The innermost frames are the last ones, or the first ones if the frames look like those of a
  // format that begins with the innermost.
  std::string stack_trace = {};
  std::vector<NestedError> causes = {};  // the errors that caused the failure, the root cause last
  // The consumer had done this before it failed: any bytes. A longer text is cut and ends in a mark.
  std::string partial_output = {};

  bool empty() const { return *this == Failure{}; }

  friend bool operator==(const Failure&, const Failure&) = default;
};

using Rejection = Failure;  // what a reject says

enum class DeathCause : std::uint8_t {
  kMaxDeliveries = 1,  // it was delivered QueueOptions::retry.max_deliveries times without an ack
  kRejected = 2,       // a consumer rejected it
  kExpired = 3,        // its time to live ran out
  kRetryBudget = 4,    // it failed after the queue's retry budget was over (QueueOptions::retry.budget)
  kOverflow = 5,       // it made room in a full queue
  kSent = 6,           // a producer sent it there itself (QueueOptions::dead_letters.direct_sends)
};

// Returns the name of the cause: "max_deliveries", "rejected", "expired", "retry_budget", "overflow" or
// "sent". Names are stable, for logs, JSON and metrics.
std::string_view to_string(DeathCause cause);
std::optional<DeathCause> parse_death_cause(std::string_view text);

// AttemptEnd says how a delivery failed.
enum class AttemptEnd : std::uint8_t {
  kLeaseExpired = 1,  // its lease ran out
  kReleased = 2,      // the consumer released it, charged
  kRejected = 3,      // the consumer rejected it
};

// Returns the name of the end: "lease_expired", "released" or "rejected".
std::string_view to_string(AttemptEnd end);

// An attempt is one failed delivery.
struct Attempt {
  Timestamp failed_at{};
  AttemptEnd end = AttemptEnd::kLeaseExpired;
  Consumer consumer = {};
  Duration held{0};  // from the hand-out to the failure, in whole milliseconds; 0 also if it is not known
  // The lease was extended this often. limits::kCountedExtensions means that often or more often.
  std::uint32_t extended = 0;
  // The consumer said this of the failure, with texts cut to limits::kAttempt...Bytes. It is empty for the
  // attempt that the message died of, since the failure record itself says that.
  Failure failure = {};

  friend bool operator==(const Attempt&, const Attempt&) = default;
};

// AttemptHistory has the failed deliveries of a message in its last life: the first limits::kFirstAttempts
// and the last limits::kLastAttempts of them. When a dead letter is read together with its body, deliveries
// out of the dead letter queue that failed since the death follow behind those.
struct AttemptHistory {
  std::vector<Attempt> kept = {};
  std::uint32_t left_out = 0;  // how many attempts between the first and the last ones are not kept

  friend bool operator==(const AttemptHistory&, const AttemptHistory&) = default;
};

// A fingerprint is a number that is equal for failures that look alike: they have the same cause, category,
// innermost frames and reason, apart from numbers, ids and quoted texts.
enum class Fingerprint : std::uint64_t {};
// Writes a fingerprint as 16 hex digits.
std::string to_string(Fingerprint fingerprint);
std::optional<Fingerprint> parse_fingerprint(std::string_view text);

// FirstDeath says how a message died for the first time. Later deaths do not overwrite it.
struct FirstDeath {
  DeathCause cause = DeathCause::kRejected;
  std::string category = {};
  std::string reason = {};
  std::string code = {};
  std::string source_queue = {};  // the queue that it died in
  Timestamp died_at{};
  Fingerprint fingerprint{};

  friend bool operator==(const FirstDeath&, const FirstDeath&) = default;
};

// A FailureRecord says why a message died. It is written in the same atomic write as the move.
struct FailureRecord {
  MessageId message_id;
  QueueId source_queue_id{};
  std::string source_queue;  // the name that the source queue had when the message died
  Seq source_seq{};
  Timestamp sent_at{};  // when the message was first enqueued
  DeathCause cause = DeathCause::kRejected;
  // The consumer described the last failure by these fields. One that it did not describe is empty, except
  // the reason: that then tells of the lease that ran out, or of the cause of the death.
  std::string category;
  std::string reason;
  std::string code;
  std::string stack_trace;
  std::uint32_t deliveries = 0;  // charged deliveries in its last life
  std::uint32_t replays = 0;     // how often the message was redriven before this death
  // The first and the last failed delivery of the message were at these times, earlier lives included. Both
  // are the epoch if no delivery ever failed.
  Timestamp first_failed_at{};
  Timestamp last_failed_at{};
  Timestamp died_at{};
  Consumer consumer;                  // who had the message last
  std::string correlation_id;         // the value of the message's "correlation-id" attribute
  std::string group = {};             // the message's group
  std::uint32_t priority = 0;         // the message's priority
  std::string workflow_version = {};  // the value of the message's "workflow-version" attribute
  std::uint32_t visits = 1;           // how often the message came to a dead letter queue, this time included
  AttemptHistory attempts = {};
  std::vector<NestedError> causes = {};  // the nested errors of the last failure
  std::string partial_output = {};       // the partial output of the last failure
  Fingerprint fingerprint{};
  // A message that died before, in a dead letter queue or after a redrive, has its first death here.
  // `first_death` is empty if this is the first death, or if the record of the earlier one was gone.
  std::optional<FirstDeath> first_death = {};
  // `searched` has the attributes of the message that its dead letter queue searches by, in the order of
  // QueueOptions::dead_letters.searched_attributes. Each value is cut to limits::kSearchedValueBytes, and is
  // empty where the message does not have the attribute.
  Attributes searched = {};

  friend bool operator==(const FailureRecord&, const FailureRecord&) = default;
};

// Returns the first death of the message: record.first_death, or the death of the record itself if that is
// empty.
FirstDeath first_death_of(const FailureRecord& record);

// A ReplayOutcome says what has happened to a message since it was redriven.
enum class ReplayOutcome : std::uint8_t {
  // The outcome is open: the message is on its way, was purged or deleted with its queue, or a read failed.
  kPending = 1,
  // The message was acknowledged. The outcome is written in the same atomic write as the ack.
  kAcked = 2,
  // The message died again and went to another dead letter queue. A message that comes back to the same dead
  // letter queue has its record there, which then is not history any more.
  kDiedElsewhere = 3,
  // The message was deleted: it expired, made room or was rejected, and its queue drops or discards then.
  kDropped = 4,
};

// Returns the name of the outcome: "pending", "acked", "died_elsewhere" or "dropped".
std::string_view to_string(ReplayOutcome outcome);

struct Replay {
  ReplayOutcome outcome = ReplayOutcome::kPending;
  Timestamp at{};  // when the outcome was known; the epoch while it is pending

  friend bool operator==(const Replay&, const Replay&) = default;
};

// An OriginalMessage is a message as it was before a redrive first edited it. It stays with the record,
// however often the message dies again.
struct OriginalMessage {
  std::string body = {};
  Attributes attributes = {};

  friend bool operator==(const OriginalMessage&, const OriginalMessage&) = default;
};

// A DeadLetter has what a dead letter queue knows of a dead letter. When its message is redriven, the record
// stays there as history with the status kReplayed. When that message dies again to the same queue, it takes
// up its old record, with the count of replays raised and with all that people wrote about it.
struct DeadLetter {
  Seq seq{};  // its place in the dead letter queue
  // `id` names the dead letter itself, not the message. Each death has its own, except that deaths that share
  // a record share the id.
  MessageId id;
  FailureRecord record;
  Triage triage;
  bool history = false;               // true: the message is not in the dead letter queue any more
  std::string body;                   // filled in if the call asked for bodies
  Attributes attributes;              // filled in if the call asked for bodies
  std::optional<Replay> replay = {};  // for history with the status kReplayed
  // `original` is the message before its first edit, if a redrive edited it and the call asked for bodies.
  std::optional<OriginalMessage> original = {};
  std::vector<std::string> redacted;  // what was left out before it was shown: "body", "attribute card"
  // True: the call did not ask for bodies, so `body`, `attributes` and `original` are empty whatever the
  // message has. It is always false for history, whose messages are gone.
  bool without_body = false;

  friend bool operator==(const DeadLetter&, const DeadLetter&) = default;
};

}  // namespace holdfast
