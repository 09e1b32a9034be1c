#include "tools/cli/policy_settings.h"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <map>
#include <type_traits>
#include <utility>

#include "tools/cli/texts/duration.h"

namespace holdfast::command {
namespace {

// Takes the text of a value.
using Setter = std::function<Result<void>(const std::string&)>;
using Setters = std::map<std::string, Setter, std::less<>>;

Result<void> set_each(const std::string& option, const std::vector<std::string>& settings,
                      const Setters& setters) {
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    const auto setter = setters.find(setting.substr(0, equals));
    if (equals == std::string::npos || setter == setters.end()) {
      std::string known;
      for (const auto& [key, unused] : setters) known.append(known.empty() ? "" : ", ").append(key);
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: '{}' is not KEY=VALUE with one of the keys {}", option, setting, known));
    }
    if (auto ok = setter->second(setting.substr(equals + 1)); !ok) {
      return fail(ok.error().code, option + " " + setter->first + ": " + ok.error().message);
    }
  }
  return {};
}

template <class Number>
Result<Number> parse_number(const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && !text.empty()) return number;
  return fail(ErrorCode::kInvalidArgument, "'" + text + "' is not a whole number");
}

template <class Number>
Setter number(Number& target) {
  return [&target](const std::string& text) -> Result<void> {
    auto parsed = parse_number<Number>(text);
    if (!parsed) return tl::unexpected(parsed.error());
    target = *parsed;
    return {};
  };
}

Setter duration(Duration& target) {
  return [&target](const std::string& text) -> Result<void> {
    auto parsed = parse_duration(text);
    if (!parsed) return tl::unexpected(parsed.error());
    target = *parsed;
    return {};
  };
}

// Takes the bound of a rule, or "off" for no bound.
template <class T>
Setter bound(std::optional<T>& target) {
  return [&target](const std::string& text) -> Result<void> {
    target.reset();
    if (text == "off") return {};
    if constexpr (std::is_same_v<T, Duration>) {
      return duration(target.emplace())(text);
    } else {
      return number(target.emplace())(text);
    }
  };
}

Setter on_give_up(OnGiveUp& target) {
  return [&target](const std::string& text) -> Result<void> {
    for (const auto known : {OnGiveUp::kPark, OnGiveUp::kArchive}) {
      if (text != to_string(known)) continue;
      target = known;
      return {};
    }
    return fail(ErrorCode::kInvalidArgument, "'" + text + "' is neither park nor archive");
  };
}

Setter severity(AlertSeverity& target) {
  return [&target](const std::string& text) -> Result<void> {
    for (const auto known : {AlertSeverity::kWarning, AlertSeverity::kCritical}) {
      if (text != to_string(known)) continue;
      target = known;
      return {};
    }
    return fail(ErrorCode::kInvalidArgument, "'" + text + "' is neither warning nor critical");
  };
}

// A rule's threshold has the rule's name, and its other settings have that name, a dot and their own.
template <class Rule>
void add_rule(const std::string& name, Rule& rule, Setters& setters) {
  setters.emplace(name, bound(rule.above));
  setters.emplace(name + ".severity", severity(rule.severity));
  setters.emplace(name + ".fire-after", duration(rule.fire_after));
  setters.emplace(name + ".clear-at", bound(rule.clear_at));
  setters.emplace(name + ".clear-after", duration(rule.clear_after));
}

Result<void> set_alerts(const std::vector<std::string>& settings, AlertRules& rules) {
  Setters setters{{"arrivals-for", duration(rules.arrivals_for)}};
  add_rule("depth", rules.depth, setters);
  add_rule("depth-high", rules.depth_high, setters);
  add_rule("depth-critical", rules.depth_critical, setters);
  add_rule("arrivals", rules.arrivals, setters);
  add_rule("oldest", rules.oldest, setters);
  add_rule("unassigned", rules.unassigned, setters);
  return set_each("--alert", settings, setters);
}

}  // namespace

Result<void> apply(const PolicySettings& settings, const QueueOptions& current, QueueChanges& changes) {
  if (!settings.auto_redrive.empty()) {
    AutoRedrive& policy = changes.dead_letters.auto_redrive.emplace(current.dead_letters.auto_redrive);
    bool first_category = true;
    const Setter category = [&](const std::string& text) -> Result<void> {
      // The first category that is typed replaces the policy's categories.
      if (std::exchange(first_category, false)) policy.categories.clear();
      if (!text.empty()) policy.categories.push_back(text);
      return {};
    };
    auto ok = set_each("--auto-redrive", settings.auto_redrive,
                       {{"every", duration(policy.every)},
                        {"max", number(policy.max)},
                        {"category", category},
                        {"backoff", duration(policy.backoff)},
                        {"backoff-max", duration(policy.backoff_max)},
                        {"max-replays", number(policy.max_replays)},
                        {"give-up-after", duration(policy.give_up_after)},
                        {"on-give-up", on_give_up(policy.on_give_up)}});
    if (!ok) return ok;
  }
  if (!settings.alerts.empty()) {
    if (auto ok = set_alerts(settings.alerts, changes.alerts.emplace(current.alerts)); !ok) return ok;
  }
  if (!settings.journal.empty()) {
    JournalOptions& journal = changes.journal.emplace(current.journal);
    auto ok = set_each("--journal", settings.journal,
                       {{"entries", number(journal.max_entries)}, {"keep", duration(journal.keep)}});
    if (!ok) return ok;
  }
  if (settings.brake.empty()) return {};
  FloodBrake& brake = changes.brake.emplace(current.brake);
  return set_each("--brake", settings.brake,
                  {{"deaths", number(brake.deaths_per_minute)}, {"delay", duration(brake.delay)}});
}

}  // namespace holdfast::command
