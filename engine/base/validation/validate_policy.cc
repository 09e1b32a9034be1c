// Checks what a queue does about its dead letters by itself: automatic redrives, the flood brake and alerts.
// An alert may not clear at a value at which it would fire.
#include <string>

#include "engine/base/validation/validate.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;

std::string text_of(std::uint64_t bound) { return std::to_string(bound); }
std::string text_of(Duration bound) { return format_duration(bound); }

template <class Bound, AlertSeverity kUsual>
Result<void> validate(const AlertRule<Bound, kUsual>& rule, const std::string& name) {
  if (rule.severity != AlertSeverity::kWarning && rule.severity != AlertSeverity::kCritical)
    return fail(ErrorCode::kInvalidArgument, name + ".severity is neither warning nor critical");
  if (auto ok = within(rule.fire_after, 0s, limits::kAlertWaitMax, name + ".fire_after"); !ok) return ok;
  if (auto ok = within(rule.clear_after, 0s, limits::kAlertWaitMax, name + ".clear_after"); !ok) return ok;
  if (!rule.above || !rule.clear_at || *rule.clear_at <= *rule.above) return {};
  return fail(ErrorCode::kInvalidArgument, name + ".clear_at is " + text_of(*rule.clear_at) +
                                               ", which is more than " + name + ".above, " +
                                               text_of(*rule.above));
}

}  // namespace

Result<void> validate(const AutoRedrive& policy) {
  if (policy.every != 0s) {
    if (auto ok = within(policy.every, 1s, 24h, "auto_redrive.every"); !ok) return ok;
  }
  if (auto ok = within(policy.max, 1, limits::kAutoRedriveMax, "auto_redrive.max"); !ok) return ok;
  if (auto ok = at_most(policy.categories.size(), limits::kAutoRedriveCategories, "auto_redrive.categories",
                        "entries");
      !ok) {
    return ok;
  }
  for (const std::string& category : policy.categories) {
    if (auto ok = at_most(category.size(), limits::kCategoryBytes, "an entry of auto_redrive.categories");
        !ok)
      return ok;
  }
  constexpr Duration kLongest = 24h * 30;
  if (auto ok = within(policy.backoff, 0s, kLongest, "auto_redrive.backoff"); !ok) return ok;
  if (auto ok = within(policy.backoff_max, 0s, kLongest, "auto_redrive.backoff_max"); !ok) return ok;
  if (auto ok = within(policy.max_replays, 1, UINT32_MAX, "auto_redrive.max_replays"); !ok) return ok;
  if (policy.on_give_up != OnGiveUp::kPark && policy.on_give_up != OnGiveUp::kArchive)
    return fail(ErrorCode::kInvalidArgument, "auto_redrive.on_give_up is neither park nor archive");
  return within(policy.give_up_after, 0s, limits::kDelayMax, "auto_redrive.give_up_after");
}

Result<void> validate(const FloodBrake& brake) { return within(brake.delay, 0s, 1h, "brake.delay"); }

Result<void> validate(const AlertRules& rules) {
  if (auto ok = within(rules.arrivals_for, 1min, 1h, "alerts.arrivals_for"); !ok) return ok;
  if (rules.arrivals_for % 1min != 0s)
    return fail(ErrorCode::kInvalidArgument, "alerts.arrivals_for must be whole minutes");
  if (auto ok = validate(rules.depth, "alerts.depth"); !ok) return ok;
  if (auto ok = validate(rules.depth_high, "alerts.depth_high"); !ok) return ok;
  if (auto ok = validate(rules.depth_critical, "alerts.depth_critical"); !ok) return ok;
  if (auto ok = validate(rules.arrivals, "alerts.arrivals"); !ok) return ok;
  if (auto ok = validate(rules.oldest, "alerts.oldest"); !ok) return ok;
  return validate(rules.unassigned, "alerts.unassigned");
}

}  // namespace holdfast
