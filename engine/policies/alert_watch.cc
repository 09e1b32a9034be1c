#include "engine/policies/alert_watch.h"

#include <algorithm>
#include <utility>

namespace holdfast {
namespace {

using namespace std::chrono_literals;

std::uint64_t seconds(const std::optional<Duration>& age) {
  return age ? static_cast<std::uint64_t>(*age / Duration(1s)) : 0;
}

}  // namespace

void AlertWatch::judge(std::string_view rule, AlertSeverity severity, bool holds, std::uint64_t value,
                       Timestamp time, std::vector<AlertChange>& changes) {
  const auto found = std::ranges::find(active_, rule, &Alert::rule);
  if (!holds && found != active_.end()) {
    changes.push_back({{std::string(rule), severity, time, value}, false});
    active_.erase(found);
  } else if (holds && found == active_.end()) {
    active_.push_back({std::string(rule), severity, time, value});
    changes.push_back({active_.back(), true});
  } else if (holds) {
    found->value = value;
  }
}

std::vector<AlertChange> AlertWatch::judge_depth(const AlertRules& rules, std::uint64_t depth,
                                                 Timestamp time) {
  std::vector<AlertChange> changes;
  if (depth == depth_ && judged_by_ == rules) return changes;
  if (depth == 0 && depth_ == 0 && active_.empty()) return changes;
  depth_ = depth;
  judged_by_ = rules;
  using enum AlertSeverity;
  judge("depth", kWarning, rules.depth && depth > *rules.depth, depth, time, changes);
  judge("depth_high", kWarning, rules.depth_high && depth > *rules.depth_high, depth, time, changes);
  judge("depth_critical", kCritical, rules.depth_critical && depth > *rules.depth_critical, depth, time,
        changes);
  if (next_look_ == Timestamp::max()) next_look_ = time + kLookEvery;
  return changes;
}

std::vector<AlertChange> AlertWatch::judge_rest(const AlertRules& rules, const Measures& measures,
                                                Timestamp time) {
  std::vector<AlertChange> changes;
  using enum AlertSeverity;
  const auto& [oldest, unassigned, came] = measures;
  const std::uint64_t arrivals = came.fewest(rules.arrivals_for);
  judge("arrivals", kWarning, rules.arrivals && arrivals > *rules.arrivals, arrivals, time, changes);
  judge("oldest", kWarning, rules.oldest && oldest && *oldest > *rules.oldest, seconds(oldest), time,
        changes);
  judge("unassigned", kWarning, rules.unassigned && unassigned && *unassigned > *rules.unassigned,
        seconds(unassigned), time, changes);
  const bool quiet = depth_ == 0 && active_.empty();
  next_look_ = quiet ? Timestamp::max() : time + kLookEvery;
  return changes;
}

std::vector<AlertChange> AlertWatch::clear(Timestamp time) {
  std::vector<AlertChange> changes;
  for (const Alert& alert : std::exchange(active_, {}))
    changes.push_back({{alert.rule, alert.severity, time, 0}, false});
  return changes;
}

}  // namespace holdfast
