// Judges a queue's alert rules. It is pure: the caller passes the time and the measures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/policies/arrival_minutes.h"
#include "holdfast/ids.h"
#include "holdfast/policy.h"

namespace holdfast {

// An AlertChange is a rule that fired or cleared.
struct AlertChange {
  Alert alert;
  bool fired = false;
};

class AlertWatch {
 public:
  // An Oldest is the oldest dead letter of some kind.
  struct Oldest {
    Duration age{0};
    Seq seq{};
  };
  struct Measures {
    // `oldest` is nothing if there is no dead letter, and `unassigned` if all of them have an assignee.
    std::optional<Oldest> oldest;
    std::optional<Oldest> unassigned;
    ArrivalMinutes arrivals;
  };

  // Takes over the rules that held when the queue was last open. judge_depth() must follow, and plans a look
  // at all of them.
  void restore(std::vector<Alert> active);

  // Judges the rules about depth. The call is cheap if the depth is that of the last call.
  std::vector<AlertChange> judge_depth(const AlertRules& rules, std::uint64_t depth, Timestamp time);
  // Judges all rules, those about depth by the depth of the last judge_depth().
  std::vector<AlertChange> judge_all(const AlertRules& rules, const Measures& measures, Timestamp time);
  // Judges the rules about depth by the depth of the last judge_depth(), because the other measures could not
  // be read. look_again_at() must follow.
  std::vector<AlertChange> judge_depth_again(const AlertRules& rules, Timestamp time);
  // Ends all alerts, because the queue is deleted.
  std::vector<AlertChange> clear(Timestamp time);

  const std::vector<Alert>& active() const { return active_; }
  // Returns when judge_all() must be called: now and then while there is anything to judge, and when a rule
  // has been above its threshold, or below it, for long enough.
  Timestamp next_look() const { return next_look_; }
  // Says when judge_all() must be called, because the measures could not be read.
  void look_again_at(Timestamp time) { next_look_ = time; }

 private:
  static constexpr Duration kLookEvery = std::chrono::minutes(1);

  enum RuleIndex : std::size_t { kDepth, kDepthHigh, kDepthCritical, kArrivals, kOldest, kUnassigned };
  // Terms are a rule without its type. Counts are as they are, and ages are in microseconds.
  struct Terms {
    bool on = false;
    std::uint64_t above = 0;
    std::uint64_t clear_at = 0;
    AlertSeverity severity = AlertSeverity::kWarning;
    Duration fire_after{0};
    Duration clear_after{0};
    std::uint64_t unit = 1;  // an alert counts the measure in this unit
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
  // A Turning is a rule that is about to change. `since` is the time since which a rule that does not hold
  // has been above its threshold, or since which one that holds has been at most at its clear_at. At `due`,
  // that has lasted for long enough.
  struct Turning {
    Timestamp since{};
    Timestamp due = Timestamp::max();
  };
  std::map<RuleIndex, Turning> turning_;
  // Rules of the last judge_depth(). They are on the heap because most queues never have a dead letter.
  std::unique_ptr<const AlertRules> judged_by_;
  std::uint64_t depth_ = 0;
  Timestamp next_look_ = Timestamp::max();
};

}  // namespace holdfast
