// Messages: how they are sent and how they are received.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast {

// An attribute is a name and a value that a message carries beside its body. A message keeps the order of its
// attributes, and keeps attributes that have the same name.
struct Attribute {
  std::string name = {};
  std::string value = {};

  friend bool operator==(const Attribute&, const Attribute&) = default;
};

using Attributes = std::vector<Attribute>;

// Returns the value of the first attribute with this name, or an empty text if there is none.
std::string_view find_attribute(const Attributes& attributes, std::string_view name);

// Failure records copy this attribute as their correlation id.
inline constexpr std::string_view kCorrelationIdAttribute = "correlation-id";
// Failure records copy this attribute as the version of the workflow that the message is part of.
inline constexpr std::string_view kWorkflowVersionAttribute = "workflow-version";

// A Message is what a producer sends. Its body and attributes are kept byte for byte.
struct Message {
  std::string body = {};  // any bytes; may be empty
  Attributes attributes = {};
  // `delay` and `visible_at` say when the message may first be handed out. Set at most one; without both, the
  // queue's delay holds. `delay` counts from the send: 0..limits::kDelayMax. `visible_at` is a time of day by
  // the wall clock of the engine's machine, and follows that clock when it is set: at most limits::kDelayMax
  // ahead; a past time means now.
  std::optional<Duration> delay = {};
  std::optional<Timestamp> visible_at = {};
  // The message group matters on queues with grouping (QueueOptions::grouping). Messages without a group are
  // together in the group "". The group is kept through dead-lettering and redrive. Any bytes, at most
  // limits::kGroupBytes.
  std::string group = {};
  // The level of priority is 0, the lowest, up to QueueOptions::priority.levels - 1; a higher one is refused
  // with kInvalidArgument. The priority is kept through dead-lettering and redrive.
  std::uint32_t priority = 0;
  // Names this send on queues with deduplication (QueueOptions::deduplication). Any bytes, at most
  // limits::kDeduplicationIdBytes. It is not kept with the message.
  std::string deduplication_id = {};
  // The message may be handed out for this long, counted from its send or the end of its delay. If the queue
  // has a time to live too, the shorter of the two holds. More than 0, at most limits::kDelayMax.
  // QueueOptions::expiry.policy says what happens at the end.
  std::optional<Duration> time_to_live = {};
};

// Durability says how safe a write is when its call returns.
enum class Durability : std::uint8_t {
  kFsync = 1,     // on disk: it survives a power loss
  kBuffered = 2,  // in the operating system: it survives a crash of the process, not one of the machine
};

// Sent is the answer for one message that was sent.
struct Sent {
  MessageId id = {};
  // `durability` says how durable the message is. It is kFsync even if the call asked for kBuffered when the
  // write shared an fsync with other calls.
  Durability durability = Durability::kFsync;
  // True: the queue has deduplication and knows this message already. Nothing was added, and `id` is the id
  // of the first message.
  bool duplicate = false;
};

struct FailureRecord;  // dead_letter.h

// A Delivery is one message, handed out under a lease.
struct Delivery {
  Receipt receipt;  // names this delivery in the calls that settle it
  MessageId id;
  // The bytes belong to `storage`, and are valid as long as this Delivery or a copy of it exists. Messages of
  // one batch may share their storage, so copy a body that you keep for long.
  std::string_view body;
  Attributes attributes;
  std::string group = {};      // as it was sent
  std::uint32_t priority = 0;  // as it was sent
  Timestamp sent_at{};         // when the message was first enqueued; a redrive does not change it
  // The lease ends at this moment, by the engine's time: then another consumer may get the message.
  Timestamp lease_expires_at{};
  // This much is left of the lease, counted from when the caller got this Delivery. A caller whose wall clock
  // may differ from the engine's measures it with any steady clock.
  Duration lease_left{};
  // The message was handed out and charged this often. This delivery is included, also if it is prefetched
  // and is charged only once it is started.
  std::uint32_t deliveries = 1;
  std::uint32_t replays = 0;  // how often the message was redriven from a dead letter queue
  // The record says why the message died, why its deliveries failed and how it died for the first time. Null
  // if the message is not a dead letter.
  std::shared_ptr<const FailureRecord> failure = {};
  std::shared_ptr<const void> storage;
};

using Deliveries = std::vector<Delivery>;

// --- redaction: what is left out of messages and dead letters before they are shown ---

// A Redaction hides what the caller does not want to see, or may not see. DeadLetter::redacted and
// PeekedMessage::redacted name it. A failure's texts (reason, stack trace, nested errors) are still shown.
struct Redaction {
  bool bodies = false;  // leave out bodies and the partial output of failures
  // The values of the attributes with these names are left out. At most limits::kRedactedAttributes names,
  // each of at most limits::kAttributeNameBytes.
  std::vector<std::string> attributes = {};

  // Returns whether nothing is left out.
  bool empty() const { return !bodies && attributes.empty(); }
  friend bool operator==(const Redaction&, const Redaction&) = default;
};

// Returns a redaction that leaves out what either of the two leaves out.
Redaction both(Redaction one, const Redaction& other);

}  // namespace holdfast
