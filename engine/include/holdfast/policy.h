// What a queue does about its dead letters by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast {

// What becomes of a dead letter that has failed for longer than AutoRedrive::max_lifetime.
enum class AfterLifetime : std::uint8_t {
  kPark = 1,     // it is parked, if the queue has a parking_queue; else it stays
  kArchive = 2,  // it is archived and goes; never sooner after its import or the last change of status
};

// "park", "archive".
std::string_view to_string(AfterLifetime after);

// How a dead letter queue brings back its dead letters by itself. One that is due goes back to the queue it
// came from; one that was brought back too often is parked, if the queue has a parking_queue.
struct AutoRedrive {
  Duration every{0};                         // look this often, 1 s..24 h; 0: never
  std::uint32_t max = 100;                   // move at most this many each time; 1..limits::kAutoRedriveMax
  std::vector<std::string> categories = {};  // only these; empty: all. At most limits::kAutoRedriveCategories
  // A dead letter is due min(backoff * 2^replays, backoff_max) after its death; 0..30 days.
  Duration backoff = std::chrono::minutes(1);
  Duration backoff_max = std::chrono::hours(1);
  std::uint32_t max_replays = 3;  // at least 1
  // Since its first failure, or its first death if no delivery of it ever failed; 0: no such bound.
  Duration max_lifetime{0};
  AfterLifetime after_lifetime = AfterLifetime::kPark;

  friend bool operator==(const AutoRedrive&, const AutoRedrive&) = default;
};

// When the messages of a queue die in large numbers, what they depend on is down more likely than they are
// bad. Then delivery slows instead of emptying the queue into its dead letter queue: failed deliveries are
// not charged, and the message waits. It ends by itself a minute after the last death. Rejected messages die
// all the same.
struct FloodBrake {
  std::uint32_t deaths_per_minute = 0;        // brake when more die; 0: never
  Duration delay = std::chrono::seconds(30);  // of a message whose delivery failed meanwhile; 0..1 h

  friend bool operator==(const FloodBrake&, const FloodBrake&) = default;
};

enum class AlertSeverity : std::uint8_t { kWarning = 1, kCritical = 2 };

// "warning", "critical".
std::string_view to_string(AlertSeverity severity);

// When one rule fires, and when it clears. It fires once what it measures has been larger than `above` for
// `fire_after`, and clears once that has been at most `clear_at` for `clear_after`: so a measure that goes up
// and down calls people once. A rule that is turned off clears at once. A restart begins both times anew.
template <class Bound, AlertSeverity kUsual = AlertSeverity::kWarning>
struct AlertRule {
  std::optional<Bound> above = {};  // not set: the rule is off
  AlertSeverity severity = kUsual;
  Duration fire_after{0};              // 0..limits::kAlertWaitMax, as is clear_after
  std::optional<Bound> clear_at = {};  // at most `above`, which it is if it is not set
  Duration clear_after = std::chrono::minutes(1);

  friend bool operator==(const AlertRule&, const AlertRule&) = default;
};

// When a dead letter queue calls for people.
struct AlertRules {
  AlertRule<std::uint64_t> depth = {.above = 0};  // dead letters
  AlertRule<std::uint64_t> depth_high = {.above = 100};
  AlertRule<std::uint64_t, AlertSeverity::kCritical> depth_critical = {.above = 1000};
  AlertRule<std::uint32_t> arrivals = {.above = 10};  // a minute, in each of the last `arrivals_for`
  Duration arrivals_for = std::chrono::minutes(5);    // whole minutes, 1 min..1 h
  AlertRule<Duration> oldest = {.above = std::chrono::hours(24)};      // since the oldest one's death
  AlertRule<Duration> unassigned = {.above = std::chrono::hours(48)};  // of those without an assignee

  friend bool operator==(const AlertRules&, const AlertRules&) = default;
};

// A rule that holds now.
struct Alert {
  // "depth", "depth_high", "depth_critical", "arrivals", "oldest", "unassigned"; in events "flood_brake" too.
  std::string rule = {};
  AlertSeverity severity = AlertSeverity::kWarning;
  Timestamp since{};
  std::uint64_t value = 0;      // what it measured last: dead letters, arrivals a minute, or seconds
  std::uint64_t threshold = 0;  // what that was larger than, in the same unit
  // Of "oldest" and "unassigned": the seq, in its dead letter queue, of the dead letter that is concerned.
  std::optional<Seq> dead_letter = {};
  // While it is no longer above its threshold: when it clears, if it stays so.
  std::optional<Timestamp> clears_at = {};

  friend bool operator==(const Alert&, const Alert&) = default;
};

// For people: "101 dead letters, more than 100".
std::string summary(const Alert& alert);

}  // namespace holdfast
