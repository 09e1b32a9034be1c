// Policies: what a queue does about its dead letters by itself, and when it calls for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast {

// What happens to a dead letter that has failed for longer than AutoRedrive::give_up_after.
enum class OnGiveUp : std::uint8_t {
  kPark = 1,  // it is parked, or stays if the queue has no parking_queue
  // It is archived and deleted, but not before give_up_after has passed since its import and since the last
  // change of its status.
  kArchive = 2,
};

// Returns the name of the action: "park" or "archive".
std::string_view to_string(OnGiveUp action);

// How a dead letter queue redrives its dead letters by itself. A dead letter that is due goes back to the
// queue that it came from.
struct AutoRedrive {
  Duration every{0};        // how often to look for due dead letters: 1 s..24 h; 0: never
  std::uint32_t max = 100;  // the most dead letters to move each time: 1..limits::kAutoRedriveMax
  // The categories to redrive; empty: all. At most limits::kAutoRedriveCategories.
  std::vector<std::string> categories = {};
  // A dead letter is due min(backoff * 2^replays, backoff_max) after its death. Both are 0..30 days.
  Duration backoff = std::chrono::minutes(1);
  Duration backoff_max = std::chrono::hours(1);
  // How often a dead letter is redriven, at least 1. After that it is parked, or stays if the queue has no
  // parking_queue.
  std::uint32_t max_replays = 3;
  // How long dead letters are redriven, counted from the first failure of the message, or from its first
  // death if no delivery ever failed. 0: without end; at most limits::kDelayMax.
  Duration give_up_after{0};
  OnGiveUp on_give_up = OnGiveUp::kPark;

  friend bool operator==(const AutoRedrive&, const AutoRedrive&) = default;
};

// Keeps an outage from emptying a queue into its dead letter queue. When messages die in large numbers, it is
// more likely that something that they need is down than that all of them are bad. While the brake is on,
// deliveries that fail are not charged, and their messages wait. The brake goes off by itself a minute after
// the last death. Messages that consumers reject die all the same.
struct FloodBrake {
  std::uint32_t deaths_per_minute = 0;  // the brake goes on when more messages die in a minute; 0: never
  // How long a message waits whose delivery fails while the brake is on: 0..1 h.
  Duration delay = std::chrono::seconds(30);

  friend bool operator==(const FloodBrake&, const FloodBrake&) = default;
};

enum class AlertSeverity : std::uint8_t { kWarning = 1, kCritical = 2 };

// Returns the name of the severity: "warning" or "critical".
std::string_view to_string(AlertSeverity severity);

// When one alert rule fires, and when it clears. The rule measures a number. It fires once the number has
// been larger than `above` for `fire_after`, and clears once the number has been at most `clear_at` for
// `clear_after`. So a number that goes up and down calls people once. A rule that is turned off clears at
// once. A restart begins both times anew.
template <class Bound, AlertSeverity kUsual = AlertSeverity::kWarning>
struct AlertRule {
  std::optional<Bound> above = {};  // not set: the rule is off
  AlertSeverity severity = kUsual;
  Duration fire_after{0};                          // 0..limits::kAlertWaitMax
  std::optional<Bound> clear_at = {};              // at most `above`; default: `above`
  Duration clear_after = std::chrono::minutes(1);  // 0..limits::kAlertWaitMax

  friend bool operator==(const AlertRule&, const AlertRule&) = default;
};

// When a dead letter queue calls for people.
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

// An alert rule that has fired and not cleared.
struct Alert {
  // The name of the rule: "depth", "depth_high", "depth_critical", "arrivals", "oldest" or "unassigned".
  // Events also have "flood_brake".
  std::string rule = {};
  AlertSeverity severity = AlertSeverity::kWarning;
  Timestamp since{};
  std::uint64_t value = 0;      // what the rule measured last: dead letters, arrivals a minute, or seconds
  std::uint64_t threshold = 0;  // AlertRule::above, in the same unit
  // For "oldest" and "unassigned": the place, in its dead letter queue, of the dead letter that is too old.
  std::optional<Seq> dead_letter = {};
  // When the alert clears if the value stays as low as it is. It is empty while the value is too high.
  std::optional<Timestamp> clears_at = {};

  friend bool operator==(const Alert&, const Alert&) = default;
};

// Returns a text for people: "101 dead letters, more than 100".
std::string summary(const Alert& alert);

}  // namespace holdfast
