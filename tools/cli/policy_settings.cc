#include "tools/cli/policy_settings.h"

#include <charconv>
#include <functional>
#include <map>
#include <type_traits>
#include <utility>

#include "tools/cli/texts/duration.h"

namespace holdfast::command {
namespace {

// Takes a value's text.
using Setter = std::function<Result<void>(const std::string&)>;
using Setters = std::map<std::string, Setter, std::less<>>;

Result<void> set_each(const std::string& option, const std::vector<std::string>& settings,
                      const Setters& setters) {
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    const auto setter = setters.find(setting.substr(0, equals));
    if (equals == std::string::npos || setter == setters.end()) {
      std::string known;
      for (const auto& [key, unused] : setters) known += (known.empty() ? "" : ", ") + key;
      return fail(ErrorCode::kInvalidArgument,
                  option + ": '" + setting + "' is not KEY=VALUE with one of the keys " + known);
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

// A rule's bound, or "off".
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

}  // namespace

void add_policy_settings(CLI::App& verb, PolicySettings& target) {
  constexpr const char* kGroup = "Policies (each may be repeated)";
  verb.add_option(
          "--auto-redrive", target.auto_redrive,
          "Of a dead letter queue: bring its letters back by itself. Keys: every (0: never), max, category "
          "(none: all), backoff, backoff-max, max-replays, max-lifetime")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group(kGroup);
  verb.add_option("--alert", target.alerts,
                  "Of a dead letter queue: when to call people; 'off' for never. Keys: depth, depth-high, "
                  "depth-critical, arrivals (a minute), arrivals-for, oldest, unassigned")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group(kGroup);
  verb.add_option(
          "--journal", target.journal,
          "Remember where messages have been, for history. Keys: entries (of all messages; 0: off), keep")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group(kGroup);
  verb.add_option("--brake", target.brake,
                  "Slow down when messages die in large numbers. Keys: deaths (a minute; 0: never), delay")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group(kGroup);
}

Result<void> apply(const PolicySettings& settings, const QueueOptions& current, QueueChanges& changes) {
  if (!settings.auto_redrive.empty()) {
    AutoRedrive& policy = changes.auto_redrive.emplace(current.auto_redrive);
    bool first_category = true;
    const Setter category = [&](const std::string& text) -> Result<void> {
      // The first one replaces those of before.
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
                        {"max-lifetime", duration(policy.max_lifetime)}});
    if (!ok) return ok;
  }
  if (!settings.alerts.empty()) {
    AlertRules& rules = changes.alerts.emplace(current.alerts);
    auto ok = set_each("--alert", settings.alerts,
                       {{"depth", bound(rules.depth)},
                        {"depth-high", bound(rules.depth_high)},
                        {"depth-critical", bound(rules.depth_critical)},
                        {"arrivals", bound(rules.arrivals)},
                        {"arrivals-for", duration(rules.arrivals_for)},
                        {"oldest", bound(rules.oldest)},
                        {"unassigned", bound(rules.unassigned)}});
    if (!ok) return ok;
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
