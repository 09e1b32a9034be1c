// This header declares the options for the alerts of a dead letter queue.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "holdfast/detail/duration.h"

namespace holdfast {

enum class AlertSeverity : std::uint8_t { kWarning = 1, kCritical = 2 };

// Returns the name of the severity: "warning" or "critical".
std::string_view to_string(AlertSeverity severity);

// An AlertRule says when one alert rule fires, and when it clears. The rule measures a number. It fires once
// the number has been larger than `above` for `fire_after`, and clears once the number has been at most
// `clear_at` for `clear_after`. So a number that goes up and down calls people once. A rule that is turned
// off, or altered so that it would not fire, clears at once. A restart begins both times again.
template <class Bound, AlertSeverity kUsual = AlertSeverity::kWarning>
struct AlertRule {
  std::optional<Bound> above = {};  // not set: the rule is off
  AlertSeverity severity = kUsual;
  Duration fire_after{0};                          // 0..limits::kAlertWaitMax
  std::optional<Bound> clear_at = {};              // at most `above`; default: `above`
  Duration clear_after = std::chrono::minutes(1);  // 0..limits::kAlertWaitMax

  friend bool operator==(const AlertRule&, const AlertRule&) = default;
};

// AlertRules says when a dead letter queue calls for people.
struct AlertRules {
  // These three measure the number of dead letters in the queue.
  AlertRule<std::uint64_t> depth = {.above = 0};
  AlertRule<std::uint64_t> depth_high = {.above = 100};
  AlertRule<std::uint64_t, AlertSeverity::kCritical> depth_critical = {.above = 1000};
  // Measures the dead letters that come in a minute. It fires if there are too many in each minute of the
  // last `arrivals_for`, which is a whole number of minutes: 1 min..1 h.
  AlertRule<std::uint32_t> arrivals = {.above = 10};
  Duration arrivals_for = std::chrono::minutes(5);
  // Measures the time since the oldest dead letter died.
  AlertRule<Duration> oldest = {.above = std::chrono::hours(24)};
  // Measures the time since the oldest dead letter without an assignee died.
  AlertRule<Duration> unassigned = {.above = std::chrono::hours(48)};

  friend bool operator==(const AlertRules&, const AlertRules&) = default;
};

}  // namespace holdfast
