// What is sent and what is received.
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

// A name and a value beside the body. Order and duplicates are kept.
struct Attribute {
  std::string name = {};
  std::string value = {};

  friend bool operator==(const Attribute&, const Attribute&) = default;
};

using Attributes = std::vector<Attribute>;

// The value of the first attribute called `name`; empty if there is none.
std::string_view find_attribute(const Attributes& attributes, std::string_view name);

// The attribute that is copied into failure records as their correlation id.
inline constexpr std::string_view kCorrelationIdAttribute = "correlation-id";
// The attribute that is copied into failure records as the version of the workflow that the message is part
// of.
inline constexpr std::string_view kWorkflowVersionAttribute = "workflow-version";

// A message to send. Body and attributes are kept byte for byte.
struct Message {
  std::string body = {};  // any bytes, may be empty
  Attributes attributes = {};
  // When it may first be handed out: so long after its send (0..limits::kDelayMax), or from a time of day on,
  // by the wall clock of the engine's machine however that is set meanwhile (a past one is now; at most
  // limits::kDelayMax ahead). Not both; neither: the queue's delay.
  std::optional<Duration> delay = {};
  std::optional<Timestamp> visible_at = {};
  // The message group that it belongs to; kept through dead-lettering and redrive. Counts on queues with
  // grouping (QueueOptions), where messages without one are together in the group "". Any bytes, at most
  // limits::kGroupBytes.
  std::string group = {};
  // 0, the lowest, up to the levels of the queue less 1 (QueueOptions::priorities); kInvalidArgument if it is
  // more. Kept through dead-lettering and redrive.
  std::uint32_t priority = 0;
  // Names this send on queues with deduplication (QueueOptions): any bytes, at most
  // limits::kDeduplicationIdBytes. Not kept with the message.
  std::string deduplication_id = {};
  // How long it may be handed out from then on; the queue's time to live counts too, the shorter of the two.
  // More than 0, at most limits::kDelayMax. See QueueOptions::on_expiry.
  std::optional<Duration> time_to_live = {};
};

// How safe a write is when its call returns.
enum class Durability : std::uint8_t {
  kFsync = 1,     // on disk: survives a power loss
  kBuffered = 2,  // in the operating system: survives the process, not the machine
};

// The reply to one sent message.
struct Sent {
  MessageId id = {};
  // What it got: kFsync even if kBuffered was asked, when the write shared an fsync with others.
  Durability durability = Durability::kFsync;
  // The message was sent before, on a queue with deduplication: `id` is that one's, and nothing was added.
  bool duplicate = false;
};

struct FailureRecord;  // dead_letter.h

// One message, handed out under a lease.
struct Delivery {
  Receipt receipt;  // settles this delivery
  MessageId id;
  // Points into `storage`: valid as long as this Delivery or a copy of it. Messages of one batch
  // may share their storage, so copy a body that is to be kept for long.
  std::string_view body;
  Attributes attributes;
  std::string group = {};  // as sent, as is the priority
  std::uint32_t priority = 0;
  Timestamp sent_at{};  // when the message was first enqueued; kept through redrive
  // When it may be handed to another consumer, by the engine's time; what is left until then counts from when
  // this was handed over to the caller, and passes by any steady clock.
  Timestamp lease_expires_at{};
  Duration lease_left{};
  // How often it was handed out and charged, this time included, also if it must be started first.
  std::uint32_t deliveries = 1;
  std::uint32_t replays = 0;  // how often it was redriven from a dead letter queue
  // Of a dead letter: why it died, of what its deliveries failed, and how it died for the first time. Null:
  // it is none.
  std::shared_ptr<const FailureRecord> failure = {};
  std::shared_ptr<const void> storage;
};

using Deliveries = std::vector<Delivery>;

}  // namespace holdfast
