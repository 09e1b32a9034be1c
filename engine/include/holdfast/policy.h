// Policies: what a queue does about its dead letters by itself, and when it calls for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "holdfast/ids.h"
#include "holdfast/options/alert_rules.h"
#include "holdfast/options/auto_redrive.h"
#include "holdfast/options/flood_brake.h"
#include "holdfast/time.h"

namespace holdfast {

// An Alert tells of an alert rule that has fired and not cleared.
struct Alert {
  // The name of the rule is "depth", "depth_high", "depth_critical", "arrivals", "oldest" or "unassigned".
  // Events also have "flood_brake".
  std::string rule = {};
  AlertSeverity severity = AlertSeverity::kWarning;
  Timestamp since{};
  std::uint64_t value = 0;      // what the rule measured last: dead letters, arrivals a minute, or seconds
  std::uint64_t threshold = 0;  // AlertRule::above, in the same unit
  // For "oldest" and "unassigned", the dead letter that is too old has this place in its dead letter queue.
  std::optional<Seq> dead_letter = {};
  // The alert clears at this time if the value stays as low as it is. Empty while the value is too high.
  std::optional<Timestamp> clears_at = {};

  friend bool operator==(const Alert&, const Alert&) = default;
};

// Returns a text for people: "101 dead letters, more than 100".
std::string summary(const Alert& alert);

}  // namespace holdfast
