// Message histories: where a message has been. They come from the journals of the queues that keep one
// (QueueOptions::journal).
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
  kReleased = 4,      // it was given back, with or without charge
  kLeaseExpired = 5,  // its lease ran out
  kAcked = 6,
  kDeadLettered = 7,
  kRedriven = 8,
  kParked = 9,
  kDiscarded = 10,   // it was rejected on a queue that discards, or was a dead letter that was discarded
  kExpired = 11,     // its time to live ran out, and it was deleted
  kOverflowed = 12,  // it was deleted to make room
  kStarted = 13,     // its consumer started a prefetched delivery, which is charged since
  kPurged = 14,      // its queue was purged
  kImported = 15,    // it came from an archive or an export of dead letters
  kArchived = 16,    // its retention as a dead letter ended: it was archived and deleted
};

// Returns the name of the step: "sent", "delivered" and so on. Names are stable, for logs and JSON.
std::string_view to_string(StepKind kind);

// A HistoryStep is one thing that happened to a message. A field that the step does not have is empty.
struct HistoryStep {
  Timestamp at{};
  StepKind kind = StepKind::kSent;
  std::string queue = {};        // the queue that the message was in
  std::string to = {};           // for kDeadLettered, kRedriven and kParked: the queue that it went to
  Seq seq{};                     // its place in the queue; 0 if it was outside the log
  std::uint32_t deliveries = 0;  // deliveries charged so far
  Consumer consumer = {};        // for kDelivered
  Timestamp until{};             // the end of the lease, delay or wait; the epoch: there is none
  DeathCause cause{};            // for kDeadLettered
  std::string category = {};     // for kDeadLettered
  std::string reason = {};       // for kDeadLettered; cut to limits::kJournalReasonBytes

  friend bool operator==(const HistoryStep&, const HistoryStep&) = default;
};

struct MessageHistory {
  std::vector<HistoryStep> steps;  // in the order in which they happened
  // True: there are more than limits::kHistorySteps, and these are the last ones.
  bool truncated = false;
};

}  // namespace holdfast
