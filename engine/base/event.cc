// Kinds of events have stable names, by which webhooks and streams of events tell them to programs.
#include "holdfast/event.h"

namespace holdfast {

std::string_view to_string(EventKind kind) {
  switch (kind) {
    case EventKind::kDied:
      return "died";
    case EventKind::kDiscarded:
      return "discarded";
    case EventKind::kExpired:
      return "expired";
    case EventKind::kOverflowed:
      return "overflowed";
    case EventKind::kRuleFired:
      return "rule_fired";
    case EventKind::kRuleCleared:
      return "rule_cleared";
    case EventKind::kMissed:
      return "missed";
    case EventKind::kClockStepped:
      return "clock_stepped";
  }
  return "unknown";
}

}  // namespace holdfast
