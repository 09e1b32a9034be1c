#include "runtime/alert_watch.h"

#include <algorithm>

namespace holdfast {
namespace {

using namespace std::chrono_literals;

std::int64_t minute_of(Timestamp time) { return time.time_since_epoch() / Duration(1min); }

std::uint64_t seconds(const std::optional<Duration>& age) {
  return age ? static_cast<std::uint64_t>(*age / Duration(1s)) : 0;
}

}  // namespace

void AlertWatch::arrived(Timestamp time) {
  const std::int64_t minute = minute_of(time);
  if (minutes_.empty() || minutes_.back().number != minute) minutes_.push_back({minute, 0});
  ++minutes_.back().arrivals;
  while (minutes_.front().number < minute - 60) minutes_.pop_front();
}

std::uint32_t AlertWatch::fewest_arrivals(Duration minutes, Timestamp time) const {
  const std::int64_t now = minute_of(time);
  std::uint32_t fewest = UINT32_MAX;
  for (std::int64_t minute = now - minutes / Duration(1min); minute < now; ++minute) {
    const auto found = std::ranges::find(minutes_, minute, &Minute::number);
    fewest = std::min(fewest, found == minutes_.end() ? 0 : found->arrivals);
  }
  return fewest;
}

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

std::vector<AlertChange> AlertWatch::judge_rest(const AlertRules& rules, const Ages& ages, Timestamp time) {
  std::vector<AlertChange> changes;
  using enum AlertSeverity;
  const std::uint32_t arrivals = fewest_arrivals(rules.arrivals_for, time);
  judge("arrivals", kWarning, rules.arrivals && arrivals > *rules.arrivals, arrivals, time, changes);
  judge("oldest", kWarning, rules.oldest && ages.oldest && *ages.oldest > *rules.oldest, seconds(ages.oldest),
        time, changes);
  judge("unassigned", kWarning, rules.unassigned && ages.unassigned && *ages.unassigned > *rules.unassigned,
        seconds(ages.unassigned), time, changes);
  const bool quiet = depth_ == 0 && active_.empty();
  next_look_ = quiet ? Timestamp::max() : time + kLookEvery;
  return changes;
}

}  // namespace holdfast
