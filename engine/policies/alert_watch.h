// Judges a queue's alert rules. Pure: time and measures come from outside.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/policies/arrival_minutes.h"
#include "holdfast/policy.h"

namespace holdfast {

// A rule that began or ceased to hold.
struct AlertChange {
  Alert alert;
  bool fired = false;
};

class AlertWatch {
 public:
  // Judges the rules of depth; cheap if the depth is the one of the last call.
  std::vector<AlertChange> judge_depth(const AlertRules& rules, std::uint64_t depth, Timestamp time);

  struct Measures {
    // Ages of the oldest dead letter, and of the oldest that nobody was given; none if there is none.
    std::optional<Duration> oldest;
    std::optional<Duration> unassigned;
    ArrivalMinutes arrivals;
  };
  std::vector<AlertChange> judge_rest(const AlertRules& rules, const Measures& measures, Timestamp time);
  // The queue goes: nothing holds any more.
  std::vector<AlertChange> clear(Timestamp time);

  const std::vector<Alert>& active() const { return active_; }
  // When judge_rest() wants to be called: now and then while there is anything to judge.
  Timestamp next_look() const { return next_look_; }
  // There were no measures to judge.
  void look_again_at(Timestamp time) { next_look_ = time; }

 private:
  static constexpr Duration kLookEvery = std::chrono::minutes(1);

  void judge(std::string_view rule, AlertSeverity severity, bool holds, std::uint64_t value, Timestamp time,
             std::vector<AlertChange>& changes);

  std::vector<Alert> active_;
  std::optional<AlertRules> judged_by_;  // the rules of the last judge_depth()
  std::uint64_t depth_ = 0;
  Timestamp next_look_ = Timestamp::max();
};

}  // namespace holdfast
