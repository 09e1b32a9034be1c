// Steps of a message's history have stable names, which people and programs read.
#include "holdfast/journal.h"

namespace holdfast {

std::string_view to_string(StepKind kind) {
  switch (kind) {
    case StepKind::kSent:
      return "sent";
    case StepKind::kDelivered:
      return "delivered";
    case StepKind::kExtended:
      return "extended";
    case StepKind::kReleased:
      return "released";
    case StepKind::kLeaseExpired:
      return "lease_expired";
    case StepKind::kAcked:
      return "acked";
    case StepKind::kDeadLettered:
      return "dead_lettered";
    case StepKind::kRedriven:
      return "redriven";
    case StepKind::kParked:
      return "parked";
    case StepKind::kDiscarded:
      return "discarded";
    case StepKind::kExpired:
      return "expired";
    case StepKind::kOverflowed:
      return "overflowed";
    case StepKind::kStarted:
      return "started";
    case StepKind::kPurged:
      return "purged";
    case StepKind::kImported:
      return "imported";
    case StepKind::kArchived:
      return "archived";
  }
  return "unknown";
}

}  // namespace holdfast
