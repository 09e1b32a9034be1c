// Judges a queue's alert rules. Pure: time and measures come from outside.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/policies/arrival_minutes.h"
#include "holdfast/ids.h"
#include "holdfast/policy.h"

namespace holdfast {

// A rule that fired or cleared.
struct AlertChange {
  Alert alert;
  bool fired = false;
};

class AlertWatch {
 public:
  // The foremost dead letter of some kind.
  struct Oldest {
    Duration age{0};
    Seq seq{};
  };
  struct Measures {
    // None if there is none, or none that nobody was given.
    std::optional<Oldest> oldest;
    std::optional<Oldest> unassigned;
    ArrivalMinutes arrivals;
  };

  // Judges the rules of depth; cheap if the depth is the one of the last call.
  std::vector<AlertChange> judge_depth(const AlertRules& rules, std::uint64_t depth, Timestamp time);
  // Judges all rules, those of depth by the depth of the last judge_depth().
  std::vector<AlertChange> judge_all(const AlertRules& rules, const Measures& measures, Timestamp time);
  // The queue goes: nothing holds any more.
  std::vector<AlertChange> clear(Timestamp time);

  const std::vector<Alert>& active() const { return active_; }
  // When judge_all() wants to be called: now and then while there is anything to judge, and when a rule has
  // been above its threshold, or below it, for long enough.
  Timestamp next_look() const { return next_look_; }
  // There were no measures to judge.
  void look_again_at(Timestamp time) { next_look_ = time; }

 private:
  static constexpr Duration kLookEvery = std::chrono::minutes(1);

  enum RuleIndex : std::size_t {
    kDepth,
    kDepthHigh,
    kDepthCritical,
    kArrivals,
    kOldest,
    kUnassigned,
    kRules
  };
  // A rule without its type: counts as they are, ages in microseconds.
  struct Terms {
    bool on = false;
    std::uint64_t above = 0;
    std::uint64_t clear_at = 0;
    AlertSeverity severity = AlertSeverity::kWarning;
    Duration fire_after{0};
    Duration clear_after{0};
    std::uint64_t unit = 1;  // what an alert counts the measure in
  };
  struct Measured {
    std::uint64_t value = 0;
    std::optional<Seq> dead_letter = {};
  };
  template <class Bound, AlertSeverity kUsual>
  static Terms terms_of(const AlertRule<Bound, kUsual>& rule);
  static Measured measured(const std::optional<Oldest>& oldest);

  void judge(RuleIndex rule, const Terms& terms, const Measured& measured, Timestamp time,
             std::vector<AlertChange>& changes);
  void judge_depths(const AlertRules& rules, Timestamp time, std::vector<AlertChange>& changes);
  bool is_quiet() const;
  void plan_look(Timestamp time);

  std::vector<Alert> active_;
  // Since when a rule that does not hold has been above its threshold, or one that holds at most at its
  // clear_at, and when that is long enough.
  struct Turning {
    Timestamp since{};
    Timestamp due = Timestamp::max();
  };
  std::array<std::optional<Turning>, kRules> turning_{};
  std::optional<AlertRules> judged_by_;  // the rules of the last judge_depth()
  std::uint64_t depth_ = 0;
  Timestamp next_look_ = Timestamp::max();
};

}  // namespace holdfast
