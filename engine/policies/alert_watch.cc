#include "engine/policies/alert_watch.h"

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

namespace holdfast {
namespace {

constexpr std::string_view kNames[] = {"depth",    "depth_high", "depth_critical",
                                       "arrivals", "oldest",     "unassigned"};

std::uint64_t number(std::uint64_t count) { return count; }
// Nothing stops anybody from asking for a negative age, which counts as none.
std::uint64_t number(Duration age) { return static_cast<std::uint64_t>(std::max(Duration{0}, age).count()); }

}  // namespace

template <class Bound, AlertSeverity kUsual>
AlertWatch::Terms AlertWatch::terms_of(const AlertRule<Bound, kUsual>& rule) {
  constexpr std::uint64_t kSecond = Duration(std::chrono::seconds(1)).count();
  const std::uint64_t above = rule.above ? number(*rule.above) : 0;
  return {.on = rule.above.has_value(),
          .above = above,
          .clear_at = rule.clear_at ? std::min(above, number(*rule.clear_at)) : above,
          .severity = rule.severity,
          .fire_after = rule.fire_after,
          .clear_after = rule.clear_after,
          .unit = std::is_same_v<Bound, Duration> ? kSecond : 1};
}

AlertWatch::Measured AlertWatch::measured(const std::optional<Oldest>& oldest) {
  if (!oldest) return {};
  return {.value = number(oldest->age), .dead_letter = oldest->seq};
}

void AlertWatch::judge(RuleIndex rule, const Terms& terms, const Measured& measured, Timestamp time,
                       std::vector<AlertChange>& changes) {
  const auto active = std::ranges::find(active_, kNames[rule], &Alert::rule);
  const bool holds = active != active_.end();
  const std::uint64_t threshold = terms.above / terms.unit;
  // An alert never says that the measure was above a threshold that it was not above. So a rule that is
  // turned off or altered while it holds, and would not fire as it is now, clears at once, as what it was.
  const bool is_moot =
      holds && (!terms.on || (measured.value <= terms.above &&
                              (active->severity != terms.severity || active->threshold != threshold)));
  const Alert now{.rule = std::string(kNames[rule]),
                  .severity = is_moot ? active->severity : terms.severity,
                  .since = holds ? active->since : time,
                  .value = measured.value / terms.unit,
                  .threshold = is_moot ? active->threshold : threshold,
                  .dead_letter = measured.dead_letter};
  if (holds) *active = now;
  const bool turns =
      holds ? is_moot || measured.value <= terms.clear_at : terms.on && measured.value > terms.above;
  if (!turns) {
    turning_.erase(rule);
    return;
  }
  Turning& turning = turning_.try_emplace(rule, Turning{.since = time}).first->second;
  turning.due = turning.since + (holds ? terms.clear_after : terms.fire_after);
  if (turning.due > time && !is_moot) {
    if (holds) active->clears_at = turning.due;
    return;
  }
  turning_.erase(rule);
  changes.push_back({now, !holds});
  if (holds) {
    changes.back().alert.since = time;
    active_.erase(active);
  } else {
    active_.push_back(now);
  }
}

void AlertWatch::judge_depths(const AlertRules& rules, Timestamp time, std::vector<AlertChange>& changes) {
  judge(kDepth, terms_of(rules.depth), {depth_}, time, changes);
  judge(kDepthHigh, terms_of(rules.depth_high), {depth_}, time, changes);
  judge(kDepthCritical, terms_of(rules.depth_critical), {depth_}, time, changes);
}

bool AlertWatch::is_quiet() const { return depth_ == 0 && active_.empty() && turning_.empty(); }

// A look that is planned stays, even if there is nothing to judge by now: dead letters that were brought back
// at once have arrived all the same.
void AlertWatch::plan_look(Timestamp time) {
  if (!is_quiet()) next_look_ = std::min(next_look_, time + kLookEvery);
  for (const auto& [rule, turning] : turning_) next_look_ = std::min(next_look_, turning.due);
}

void AlertWatch::restore(std::vector<Alert> active) {
  // A rule of a name that nobody judges would hold for ever.
  std::erase_if(active,
                [](const Alert& alert) { return std::ranges::find(kNames, alert.rule) == std::end(kNames); });
  active_ = std::move(active);
}

std::vector<AlertChange> AlertWatch::judge_depth(const AlertRules& rules, std::uint64_t depth,
                                                 Timestamp time) {
  std::vector<AlertChange> changes;
  if (depth == 0 && is_quiet()) return changes;
  const bool altered = judged_by_ && *judged_by_ != rules;
  if (depth == depth_ && judged_by_ && !altered) return changes;
  depth_ = depth;
  judged_by_ = std::make_unique<const AlertRules>(rules);
  judge_depths(rules, time, changes);
  plan_look(time);
  if (altered && !is_quiet()) next_look_ = time;  // the other rules may hold no longer, or only now
  return changes;
}

std::vector<AlertChange> AlertWatch::judge_all(const AlertRules& rules, const Measures& measures,
                                               Timestamp time) {
  std::vector<AlertChange> changes;
  judge_depths(rules, time, changes);
  judge(kArrivals, terms_of(rules.arrivals), {measures.arrivals.fewest(rules.arrivals_for)}, time, changes);
  judge(kOldest, terms_of(rules.oldest), measured(measures.oldest), time, changes);
  judge(kUnassigned, terms_of(rules.unassigned), measured(measures.unassigned), time, changes);
  next_look_ = Timestamp::max();
  plan_look(time);
  return changes;
}

std::vector<AlertChange> AlertWatch::judge_depth_again(const AlertRules& rules, Timestamp time) {
  std::vector<AlertChange> changes;
  judge_depths(rules, time, changes);
  return changes;
}

std::vector<AlertChange> AlertWatch::clear(Timestamp time) {
  std::vector<AlertChange> changes;
  for (Alert& alert : std::exchange(active_, {})) {
    alert.since = time;
    alert.value = 0;
    alert.dead_letter.reset();
    changes.push_back({std::move(alert), false});
  }
  turning_.clear();
  return changes;
}

}  // namespace holdfast
