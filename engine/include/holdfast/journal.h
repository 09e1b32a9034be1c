// Where a message has been, from the journals of the queues that keep one (QueueOptions::journal).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/dead_letter.h"
#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast {

enum class StepKind : std::uint8_t {
  kSent = 1,
  kDelivered = 2,
  kExtended = 3,
  kReleased = 4,      // given back, with or without charge
  kLeaseExpired = 5,  // its lease ran out
  kAcked = 6,
  kDeadLettered = 7,
  kRedriven = 8,
  kParked = 9,
  kDiscarded = 10,   // rejected on a queue that discards, or a dead letter that was given up
  kExpired = 11,     // its time to live ran out: dropped
  kOverflowed = 12,  // dropped to make room
  kStarted = 13,     // its consumer started work on it: the delivery is charged
  kPurged = 14,      // went with all of its queue
  kImported = 15,    // came from an archive of dead letters
  kArchived = 16,    // a dead letter that was kept long enough: written to the archive, and gone
};

// "sent", "delivered", ...: stable, for logs and JSON.
std::string_view to_string(StepKind kind);

// One thing that happened to a message. What a step does not have is empty.
struct HistoryStep {
  Timestamp at{};
  StepKind kind = StepKind::kSent;
  std::string queue = {};        // where it was
  std::string to = {};           // where it went: of kDeadLettered, kRedriven and kParked
  Seq seq{};                     // its place in the queue; 0 outside the log
  std::uint32_t deliveries = 0;  // charged so far
  Consumer consumer = {};        // of kDelivered
  Timestamp until{};             // end of the lease, or of the delay or wait; the epoch: none
  DeathCause cause{};            // of kDeadLettered
  std::string category = {};     // of kDeadLettered
  std::string reason = {};       // of kDeadLettered; cut to limits::kJournalReasonBytes

  friend bool operator==(const HistoryStep&, const HistoryStep&) = default;
};

struct MessageHistory {
  std::vector<HistoryStep> steps;  // in the order in which they happened
  // There were more than limits::kHistorySteps: these are the last of them.
  bool truncated = false;
};

}  // namespace holdfast
