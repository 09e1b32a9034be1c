// What a queue does about its dead letters by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/time.h"

namespace holdfast {

// How a dead letter queue brings back its dead letters by itself. One that is due goes back to the queue it
// came from; one that was brought back too often or failed too long is parked, if the queue has a
// parking_queue.
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

// When a dead letter queue calls for people. A rule holds when what it measures is larger; not set: it is
// off.
struct AlertRules {
  std::optional<std::uint64_t> depth = 0;         // dead letters: warning
  std::optional<std::uint64_t> depth_high = 100;  // warning
  std::optional<std::uint64_t> depth_critical = 1000;
  std::optional<std::uint32_t> arrivals = 10;       // a minute, in each of the last `arrivals_for`: warning
  Duration arrivals_for = std::chrono::minutes(5);  // whole minutes, 1 min..1 h
  std::optional<Duration> oldest = std::chrono::hours(24);      // warning
  std::optional<Duration> unassigned = std::chrono::hours(48);  // the oldest without an assignee: warning

  friend bool operator==(const AlertRules&, const AlertRules&) = default;
};

enum class AlertSeverity : std::uint8_t { kWarning = 1, kCritical = 2 };

// "warning", "critical".
std::string_view to_string(AlertSeverity severity);

// A rule that holds now.
struct Alert {
  std::string rule = {};  // "depth", "depth_high", "depth_critical", "arrivals", "oldest", "unassigned"
  AlertSeverity severity = AlertSeverity::kWarning;
  Timestamp since{};
  std::uint64_t value = 0;  // what it measured last: dead letters, arrivals a minute, or seconds

  friend bool operator==(const Alert&, const Alert&) = default;
};

}  // namespace holdfast
