#include "tools/cli/views/queue_text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <functional>
#include <ostream>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/options/queue_option_table.h"
#include "holdfast/duration_text.h"
#include "tools/cli/json.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/option_words.h"
#include "tools/cli/texts/retry.h"
#include "tools/cli/texts/text.h"

namespace holdfast::command {
namespace {

class Lines {
 public:
  explicit Lines(std::ostream& out) : out_(out) {}

  template <class... Parts>
  void add(std::string_view name, fmt::format_string<Parts...> format, const Parts&... parts) {
    fmt::print(out_, "  {:<17}{}\n", name, printable(fmt::vformat(format, fmt::make_format_args(parts...))));
  }

 private:
  std::ostream& out_;
};

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string pause_text(const Pause& paused) {
  if (paused.deliveries && paused.sends) return "deliveries, sends";
  return paused.deliveries ? "deliveries" : "sends";
}

void add_dead_letter_routes(Lines& lines, const QueueOptions& options) {
  lines.add("dead letters to", "{}",
            options.dead_letter_queue.empty() ? "nowhere" : options.dead_letter_queue);
  for (const auto& [category, queue] : options.dead_letter_routes)
    lines.add("of " + printable(category, 13), "{}", queue);
  if (options.discard_rejected || options.dead_letter_queue.empty()) {
    lines.add("reject", "{}{}", options.discard_rejected ? "discards" : "is refused",
              options.dead_letter_queue.empty() ? "" : " what has no dead letter queue");
  }
}

void add_auto_redrive(Lines& lines, const AutoRedrive& policy) {
  if (policy == AutoRedrive{}) return;
  const std::string categories = policy.categories.empty() ? "" : " of " + joined(policy.categories);
  if (policy.every == Duration{0}) {
    lines.add("auto redrive", "off; would take up to {}{}", policy.max, categories);
  } else {
    lines.add("auto redrive", "every {}, up to {}{}", format_duration(policy.every), policy.max, categories);
  }
  const bool archives = policy.after_lifetime == AfterLifetime::kArchive;
  const std::string lifetime =
      policy.max_lifetime > Duration{0}
          ? (archives ? ", archives after " : " or ") + format_duration(policy.max_lifetime)
          : std::string(archives ? ", would archive" : "");
  lines.add("", "after {} to {}; parks after {}{}", format_duration(policy.backoff),
            format_duration(policy.backoff_max), counted(policy.max_replays, "replay"), lifetime);
}

std::string bound_text(std::uint64_t count) { return std::to_string(count); }
std::string bound_text(Duration age) { return format_duration(age); }

// "depth above 5 (critical, fires after 5m, clears at 2 after 10m)"; what is usual is left out.
template <class Bound, AlertSeverity kUsual>
std::string rule_text(std::string_view name, const AlertRule<Bound, kUsual>& rule,
                      std::string_view measure = "") {
  const AlertRule<Bound, kUsual> usual;
  std::vector<std::string> terms;
  if (rule.severity != usual.severity) terms.emplace_back(to_string(rule.severity));
  if (rule.fire_after != usual.fire_after) terms.push_back("fires after " + format_duration(rule.fire_after));
  const std::string clear_at = rule.clear_at ? " at " + bound_text(*rule.clear_at) : "";
  if (rule.clear_at || rule.clear_after != usual.clear_after)
    terms.push_back("clears" + clear_at + " after " + format_duration(rule.clear_after));
  return fmt::format("{}{}{}", name,
                     rule.above ? fmt::format(" above {}{}", bound_text(*rule.above), measure) : " off",
                     terms.empty() ? "" : " (" + joined(terms) + ")");
}

void add_alert_rules(Lines& lines, const AlertRules& rules) {
  if (rules == AlertRules{}) return;
  std::vector<std::string> all{rule_text("depth", rules.depth), rule_text("depth high", rules.depth_high),
                               rule_text("depth critical", rules.depth_critical)};
  const std::string minutes = " a minute for " + format_duration(rules.arrivals_for);
  all.push_back(rule_text("arrivals", rules.arrivals, minutes));
  if (!rules.arrivals.above && rules.arrivals_for != AlertRules{}.arrivals_for) all.back() += minutes;
  all.push_back(rule_text("oldest", rules.oldest));
  all.push_back(rule_text("unassigned", rules.unassigned));
  lines.add("alert rules", "{}", joined(all));
}

void add_sources(Lines& lines, const DeadLetterSources& sources) {
  if (sources == DeadLetterSources{}) return;
  const bool listed = sources.allow == DeadLetterSources::Allow::kListed;
  lines.add("serves", "{}", listed ? joined(sources.queues) : "no queue");
}

void add_priorities(Lines& lines, const QueueOptions& options) {
  if (options.priorities <= 1 && options.priority_aging == Duration{0}) return;
  lines.add("priorities", "{}, {}", options.priorities,
            options.priority_aging > Duration{0} ? "aging by " + format_duration(options.priority_aging)
                                                 : "strict");
}

void add_deduplication(Lines& lines, const QueueOptions& options) {
  const QueueOptions usual;
  if (options.deduplication == usual.deduplication &&
      options.deduplication_window == usual.deduplication_window)
    return;
  lines.add("deduplication", "{}{} within {}", options.deduplication == Deduplication::kNone ? "" : "by ",
            to_string(options.deduplication), format_duration(options.deduplication_window));
}

void add_brake(Lines& lines, const FloodBrake& brake) {
  if (brake == FloodBrake{}) return;
  lines.add(
      "flood brake", "{}; a failed message waits {}",
      brake.deaths_per_minute == 0 ? "off" : fmt::format("above {} deaths a minute", brake.deaths_per_minute),
      format_duration(brake.delay));
}

void add_time_to_live(Lines& lines, const QueueOptions& options) {
  if (options.time_to_live == Duration{0} && options.on_expiry != ExpiryPolicy::kDrop) return;
  lines.add("time to live", "{}, then {}",
            options.time_to_live > Duration{0} ? format_duration(options.time_to_live) : "the message's",
            options.on_expiry == ExpiryPolicy::kDrop ? "dropped" : "dead-lettered");
}

void add_overflow(Lines& lines, const QueueOptions& options) {
  const auto overflow = to_string(options.on_overflow);
  if (options.max_length > 0) lines.add("max length", "{}, then {}", options.max_length, overflow);
  if (options.max_bytes > 0) lines.add("max bytes", "{}, then {}", options.max_bytes, overflow);
  if (options.max_length == 0 && options.max_bytes == 0 && options.on_overflow != OverflowPolicy::kRejectSend)
    lines.add("when it is full", "{}; it has no bound", overflow);
}

void add_journal(Lines& lines, const JournalOptions& journal) {
  if (journal == JournalOptions{}) return;
  const std::string entries =
      journal.max_entries > 0 ? fmt::format("{} entries", journal.max_entries) : "off";
  lines.add("journal", "{}{}", entries,
            journal.keep > Duration{0} ? ", for " + format_duration(journal.keep) : "");
}

void add_tags(Lines& lines, const Tags& tags) {
  for (const auto& [tag, value] : tags) lines.add("tag", "{}={}", tag, value);
}

void add_direct_sends(Lines& lines, bool direct_sends) {
  if (direct_sends) lines.add("direct sends", "are dead letters at once");
}

using AddLines = void (*)(Lines&, const QueueOptions&);

// The lines of one option alone.
template <auto kAdd, auto kOption>
void lines_of(Lines& lines, const QueueOptions& options) {
  kAdd(lines, options.*kOption);
}

// The lines of another option speak of this one.
void no_lines(Lines& /*lines*/, const QueueOptions& /*options*/) {}

// Options with lines of their own making. Each of the others has a line with its name and its value.
constexpr auto kOwnLines = std::to_array<std::pair<std::string_view, AddLines>>({
    {"dead_letter_queue", add_dead_letter_routes},
    {"dead_letter_routes", no_lines},
    {"discard_rejected", no_lines},
    {"deduplication", add_deduplication},
    {"deduplication_window", no_lines},
    {"priorities", add_priorities},
    {"priority_aging", no_lines},
    {"dead_letter_sources", lines_of<add_sources, &QueueOptions::dead_letter_sources>},
    {"direct_sends", lines_of<add_direct_sends, &QueueOptions::direct_sends>},
    {"auto_redrive", lines_of<add_auto_redrive, &QueueOptions::auto_redrive>},
    {"alerts", lines_of<add_alert_rules, &QueueOptions::alerts>},
    {"brake", lines_of<add_brake, &QueueOptions::brake>},
    {"time_to_live", add_time_to_live},
    {"on_expiry", no_lines},
    {"max_length", add_overflow},
    {"max_bytes", no_lines},
    {"on_overflow", no_lines},
    {"journal", lines_of<add_journal, &QueueOptions::journal>},
    {"tags", lines_of<add_tags, &QueueOptions::tags>},
});

// What a line is called where it is not the option's name.
constexpr auto kLineNames = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"grouping", "groups"},
    {"keep_replayed", "keeps replayed"},
    {"keep_abandoned", "keeps abandoned"},
    {"keep_unresolved", "keeps unresolved"},
    {"parking_queue", "parks in"},
    {"searched_attributes", "searched by"},
});

// Shown also at their default.
constexpr auto kAlwaysShown = std::to_array<std::string_view>({"max_deliveries", "lease", "durability"});

std::string line_name(std::string_view option) {
  for (const auto& [name, other] : kLineNames) {
    if (name == option) return std::string(other);
  }
  std::string words(option);
  std::ranges::replace(words, '_', ' ');
  return words;
}

// Types that are missing here have lines of their own.
std::string option_text(Duration value) { return format_duration(value); }
std::string option_text(const RetryPolicy& value) { return format_retry(value); }
std::string option_text(const std::vector<std::string>& values) { return joined(values); }
std::string option_text(const auto& value) {
  using T = std::remove_cvref_t<decltype(value)>;
  if constexpr (std::is_same_v<T, bool>) return value ? "yes" : "no";
  if constexpr (OptionEnum<T>) return std::string(to_string(value));
  if constexpr (fmt::is_formattable<T>::value) return fmt::format("{}", value);
  return {};
}

void add_option(Lines& lines, const auto& option, const QueueOptions& options) {
  const auto& value = options.*option.value;
  const QueueOptions usual;
  if (value == usual.*option.value && std::ranges::find(kAlwaysShown, option.name) == kAlwaysShown.end())
    return;
  lines.add(line_name(option.name), "{}", option_text(value));
}

void add_options(Lines& lines, const QueueOptions& options) {
  for_each_option([&](const auto& option) {
    const auto* own = std::ranges::find(kOwnLines, option.name, [](const auto& line) { return line.first; });
    if (own != kOwnLines.end()) {
      own->second(lines, options);
    } else {
      add_option(lines, option, options);
    }
  });
}

void add_state(Lines& lines, const QueueInfo& info, Timestamp now) {
  if (info.paused != Pause{}) lines.add("paused", "{}", pause_text(info.paused));
  if (info.braked_until > now)
    lines.add("BRAKED", "until {}, messages die in large numbers", format_clock_time(info.braked_until));
  for (const Alert& alert : info.alerts) {
    lines.add("ALERT", "{}: {} since {}{}", to_string(alert.severity), alert_text(alert),
              format_clock_time(alert.since), clearing_text(alert, now));
  }
  const QueueCounts& counts = info.counts;
  const QueueTotals& totals = info.totals;
  lines.add("now", "{} ready, {} waiting, {} leased; {} of them dead letters; {} bytes", counts.ready,
            counts.waiting, counts.leased, counts.dead, info.bytes);
  lines.add(
      "since creation",
      "{} sent, {} delivered, {} acked, {} dead-lettered, {} discarded, {} redriven, {} parked, {} expired, "
      "{} overflowed",
      totals.sent, totals.delivered, totals.acked, totals.dead_lettered, totals.discarded, totals.redriven,
      totals.parked, totals.expired, totals.overflowed);
}

using NamedValue = std::pair<std::string, Json>;

constexpr std::string_view kTerms = "_terms";  // of an alert's rule, beside its threshold
constexpr std::string_view kMilliseconds = "_ms";

// Each value by the names that lead to it: "alerts.depth", and of its rule's terms "alerts.depth.severity".
void flatten(const Json& value, const std::string& name, std::vector<NamedValue>& flat) {
  if (!value.is_object()) {
    flat.emplace_back(name, value);
    return;
  }
  const std::string within = name.ends_with(kTerms) ? name.substr(0, name.size() - kTerms.size()) : name;
  for (const auto& [key, inner] : value.items())
    flatten(inner, within.empty() ? key : within + '.' + key, flat);
}

std::vector<NamedValue> named_values(const QueueOptions& options) {
  QueueInfo info;
  info.options = options;
  std::vector<NamedValue> flat;
  Json object = to_json(info).at("options");
  object["retry"] = format_retry(options.retry);  // which is typed as one value
  flatten(object, "", flat);
  return flat;
}

std::string value_text(const std::string& name, const Json& value) {
  if (value.is_null()) return "off";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number() && name.ends_with(kMilliseconds))
    return format_duration(Duration(static_cast<std::int64_t>(value.get<double>() * 1000)));
  if (value.is_string()) return value.get<std::string>().empty() ? "none" : value.get<std::string>();
  return value.dump();
}

}  // namespace

std::string alert_text(const Alert& alert) {
  const bool of_age = alert.rule == "oldest" || alert.rule == "unassigned";
  const std::string value =
      of_age ? format_rounded(std::chrono::seconds(alert.value)) : std::to_string(alert.value);
  return fmt::format("{} is {}{}", alert.rule, value, alert.rule == "arrivals" ? " a minute" : "");
}

std::string clearing_text(const Alert& alert, Timestamp now) {
  if (!alert.clears_at) return {};
  return ", clears in " + format_rounded(std::max(Duration{0}, *alert.clears_at - now));
}

Cell note_on(const QueueInfo& info, Timestamp now) {
  std::vector<std::string> all;
  Style style = Style::kPlain;
  const auto add = [&](std::string text, Style worse) {
    all.push_back(std::move(text));
    style = style == Style::kBad ? style : worse;
  };
  if (info.paused != Pause{}) add("paused: " + pause_text(info.paused), Style::kWarning);
  if (info.braked_until > now) add("braked", Style::kWarning);
  for (const Alert& alert : info.alerts) {
    add(fmt::format("{}: {}{}", to_string(alert.severity), alert_text(alert), clearing_text(alert, now)),
        alert.severity == AlertSeverity::kCritical ? Style::kBad : Style::kWarning);
  }
  return {fmt::format("{}", fmt::join(all, "; ")), style};
}

void print_queue(std::ostream& out, const QueueInfo& info, Timestamp now) {
  Lines lines(out);
  out << info.name << '\n';
  lines.add("created", "{} ago ({})", format_age(now - info.created_at), format_clock_time(info.created_at));
  add_options(lines, info.options);
  add_state(lines, info, now);
}

std::string differences(const QueueOptions& is, const QueueOptions& asked) {
  const std::vector<NamedValue> there = named_values(is);
  std::vector<NamedValue> wanted = named_values(asked);
  std::string text;
  const auto add = [&](const std::string& name, const std::string& now, const std::string& then) {
    const bool of_time = name.ends_with(kMilliseconds);
    const std::string option =
        option_as_typed(of_time ? name.substr(0, name.size() - kMilliseconds.size()) : name);
    text += fmt::format("{}{} is {}, not {}", text.empty() ? "" : "; ", option, now, then);
  };
  for (const auto& [name, value] : there) {
    const auto same = std::ranges::find(wanted, name, &NamedValue::first);
    if (same == wanted.end()) {
      add(name, value_text(name, value), "none");
      continue;
    }
    if (same->second != value) add(name, value_text(name, value), value_text(name, same->second));
    wanted.erase(same);
  }
  for (const auto& [name, value] : wanted) add(name, "none", value_text(name, value));
  return text;
}

}  // namespace holdfast::command
