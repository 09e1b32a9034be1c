#include "tools/cli/views/queue_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <ostream>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/options/queue_option_table.h"
#include "holdfast/time.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/retry.h"
#include "tools/cli/texts/text.h"

namespace holdfast::command {
namespace {

// Prints names and what is said of them, in one line each, or in the lines that a terminal has room for.
class Lines {
 public:
  // A longer name would run into its text.
  static constexpr std::size_t kLongestName = 16;

  Lines(std::ostream& out, const Screen& screen) : out_(out), screen_(screen) {}

  template <class... Parts>
  void add(std::string_view name, fmt::format_string<Parts...> format, const Parts&... parts) {
    add_text(name, fmt::vformat(format, fmt::make_format_args(parts...)));
  }

 private:
  static constexpr std::size_t kName = kLongestName + 3;  // columns of the name with the blanks around it
  static constexpr std::size_t kLeastText = 20;           // with less room, the text stands below the name
  static constexpr std::size_t kBelow = 4;                // the indentation of a text below its name

  void add_text(std::string_view name, const std::string& text) {
    std::string head = fmt::format("  {:<{}}", name, kName - 2);
    if (!screen_.is_terminal()) {
      out_ << head << printable(text) << '\n';
      return;
    }
    const bool beside = screen_.columns >= kName + kLeastText;
    const std::size_t indent = std::min(beside ? kName : kBelow, screen_.columns - 1);
    if (!beside && !name.empty()) out_ << printable(fmt::format("  {}", name), screen_.columns) << '\n';
    if (!beside || name.empty()) head.assign(indent, ' ');
    for (const std::string& line : wrapped_at_blanks(text, screen_.columns - indent)) {
      out_ << std::exchange(head, std::string(indent, ' ')) << line << '\n';
    }
  }

  std::ostream& out_;
  const Screen& screen_;
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
            options.dead_letters.queue.empty() ? "nowhere" : options.dead_letters.queue);
  for (const auto& [category, queue] : options.dead_letters.routes)
    lines.add("of " + printable(category, 13), "{}", queue);
  if (options.dead_letters.discard_rejected || options.dead_letters.queue.empty()) {
    lines.add("reject", "{}{}", options.dead_letters.discard_rejected ? "discards" : "is refused",
              options.dead_letters.queue.empty() ? "" : " what has no dead letter queue");
  }
}

void add_lines(Lines& lines, const AutoRedrive& policy) {
  const std::string categories = policy.categories.empty() ? "" : " of " + joined(policy.categories);
  if (policy.every == Duration{0}) {
    lines.add("auto redrive", "off; would take up to {}{}", policy.max, categories);
  } else {
    lines.add("auto redrive", "every {}, up to {}{}", format_duration(policy.every), policy.max, categories);
  }
  const bool archives = policy.on_give_up == OnGiveUp::kArchive;
  const std::string giving_up =
      policy.give_up_after > Duration{0}
          ? (archives ? ", archives after " : " or ") + format_duration(policy.give_up_after)
          : std::string(archives ? ", would archive" : "");
  lines.add("", "after {} to {}; parks after {}{}", format_duration(policy.backoff),
            format_duration(policy.backoff_max), counted(policy.max_replays, "replay"), giving_up);
}

std::string bound_text(std::uint64_t count) { return std::to_string(count); }
std::string bound_text(Duration age) { return format_duration(age); }

// Returns "depth above 5 (critical, fires after 5m, clears at 2 after 10m)". Usual terms are left out.
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

void add_lines(Lines& lines, const AlertRules& rules) {
  std::vector<std::string> all{rule_text("depth", rules.depth), rule_text("depth high", rules.depth_high),
                               rule_text("depth critical", rules.depth_critical)};
  const std::string minutes = " a minute for " + format_duration(rules.arrivals_for);
  all.push_back(rule_text("arrivals", rules.arrivals, minutes));
  if (!rules.arrivals.above && rules.arrivals_for != AlertRules{}.arrivals_for) all.back() += minutes;
  all.push_back(rule_text("oldest", rules.oldest));
  all.push_back(rule_text("unassigned", rules.unassigned));
  lines.add("alert rules", "{}", joined(all));
}

void add_lines(Lines& lines, const DeadLetterSources& sources) {
  const bool listed = sources.allow == DeadLetterSources::Allow::kListed;
  lines.add("serves", "{}", listed ? joined(sources.queues) : "no queue");
}

void add_priorities(Lines& lines, const QueueOptions& options) {
  if (options.priority.levels <= 1 && options.priority.aging == Duration{0}) return;
  lines.add("priorities", "{}, {}", options.priority.levels,
            options.priority.aging > Duration{0} ? "aging by " + format_duration(options.priority.aging)
                                                 : "strict");
}

void add_deduplication(Lines& lines, const QueueOptions& options) {
  if (options.deduplication == QueueOptions().deduplication) return;
  lines.add("deduplication", "{}{} within {}",
            options.deduplication.mode == Deduplication::kNone ? "" : "by ",
            to_string(options.deduplication.mode), format_duration(options.deduplication.window));
}

void add_lines(Lines& lines, const FloodBrake& brake) {
  lines.add(
      "flood brake", "{}; a failed message waits {}",
      brake.deaths_per_minute == 0 ? "off" : fmt::format("above {} deaths a minute", brake.deaths_per_minute),
      format_duration(brake.delay));
}

void add_time_to_live(Lines& lines, const QueueOptions& options) {
  if (options.expiry.time_to_live == Duration{0} && options.expiry.policy != ExpiryPolicy::kDrop) return;
  lines.add("time to live", "{}, then {}",
            options.expiry.time_to_live > Duration{0} ? format_duration(options.expiry.time_to_live)
                                                      : "the message's",
            options.expiry.policy == ExpiryPolicy::kDrop ? "dropped" : "dead-lettered");
}

void add_overflow(Lines& lines, const QueueOptions& options) {
  const auto overflow = to_string(options.limits.on_overflow);
  if (options.limits.max_length > 0)
    lines.add("max length", "{}, then {}", options.limits.max_length, overflow);
  if (options.limits.max_bytes > 0) lines.add("max bytes", "{}, then {}", options.limits.max_bytes, overflow);
  if (options.limits.max_length == 0 && options.limits.max_bytes == 0 &&
      options.limits.on_overflow != OverflowPolicy::kRejectSend)
    lines.add("when it is full", "{}; it has no bound", overflow);
}

void add_lines(Lines& lines, const JournalOptions& journal) {
  const std::string entries =
      journal.max_entries > 0 ? fmt::format("{} entries", journal.max_entries) : "off";
  lines.add("journal", "{}{}", entries,
            journal.keep > Duration{0} ? ", for " + format_duration(journal.keep) : "");
}

void add_lines(Lines& lines, const Tags& tags) {
  for (const auto& [tag, value] : tags) lines.add("tag", "{}={}", tag, value);
}

// Prints nothing, because another option's line already shows this option.
void no_lines(Lines& /*lines*/, const QueueOptions& /*options*/) {}

using AddLines = void (*)(Lines&, const QueueOptions&);

// The lines of these options show other options too.
constexpr auto kLinesOfSeveral = std::to_array<std::pair<std::string_view, AddLines>>({
    {"dead_letter_queue", add_dead_letter_routes},
    {"dead_letter_routes", no_lines},
    {"discard_rejected", no_lines},
    {"deduplication", add_deduplication},
    {"deduplication_window", no_lines},
    {"priorities", add_priorities},
    {"priority_aging", no_lines},
    {"time_to_live", add_time_to_live},
    {"on_expiry", no_lines},
    {"max_length", add_overflow},
    {"max_bytes", no_lines},
    {"on_overflow", no_lines},
});

// These lines have other names than their options.
constexpr auto kLineNames = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"grouping", "groups"},
    {"keep_replayed", "keeps replayed"},
    {"keep_abandoned", "keeps abandoned"},
    {"keep_unresolved", "keeps unresolved"},
    {"parking_queue", "parks in"},
    {"searched_attributes", "searched by"},
});

// These options are shown even at their defaults.
constexpr auto kAlwaysShown = std::to_array<std::string_view>({"max_deliveries", "lease", "durability"});

constexpr bool is_option(std::string_view name) {
  bool found = false;
  for_each_option([&](const auto& option) { found = found || option.name == name; });
  return found;
}
constexpr bool are_options(const auto& rows) {
  return std::ranges::all_of(rows, [](const auto& row) { return is_option(row.first); });
}
static_assert(are_options(kLinesOfSeveral) && are_options(kLineNames));
static_assert(std::ranges::all_of(kAlwaysShown, is_option));

// Returns the name of the line as kLineNames or the option has it, with its underscores.
constexpr std::string_view raw_line_name(std::string_view option) {
  for (const auto& [name, other] : kLineNames) {
    if (name == option) return other;
  }
  return option;
}

std::string line_name(std::string_view option) {
  std::string words(raw_line_name(option));
  std::ranges::replace(words, '_', ' ');
  return words;
}

constexpr const auto* line_of_several(std::string_view option) {
  return std::ranges::find(kLinesOfSeveral, option, [](const auto& row) { return row.first; });
}

// option_text() is for the types that have no add_lines().
std::string option_text(bool value) { return value ? "yes" : "no"; }
std::string option_text(Duration value) { return format_duration(value); }
std::string option_text(const RetryPolicy& value) { return format_retry(value); }
std::string option_text(const std::string& value) { return value; }
std::string option_text(const std::vector<std::string>& values) { return joined(values); }
template <std::unsigned_integral T>
std::string option_text(T value) {
  return std::to_string(value);
}
template <OptionEnum T>
std::string option_text(T value) {
  return std::string(to_string(value));
}

template <class T>
void add_option(Lines& lines, const QueueOption<T>& option, const QueueOptions& options) {
  const T& value = option.place(options);
  const QueueOptions usual;
  if (value == option.place(usual) && std::ranges::find(kAlwaysShown, option.name) == kAlwaysShown.end())
    return;
  if constexpr (requires { add_lines(lines, value); }) {
    add_lines(lines, value);
  } else {
    lines.add(line_name(option.name), "{}", option_text(value));
  }
}

// Returns whether each line that add_option() names has a blank between its name and its text.
constexpr bool have_names_room() {
  bool room = true;
  for_each_option([&]<class T>(const QueueOption<T>& option) {
    if constexpr (!requires(Lines & lines, const T& value) { add_lines(lines, value); }) {
      if (line_of_several(option.name) == kLinesOfSeveral.end())
        room = room && raw_line_name(option.name).size() <= Lines::kLongestName;
    }
  });
  return room;
}
static_assert(have_names_room(), "kLineNames gives a shorter name to an option whose name is too long");

void add_options(Lines& lines, const QueueOptions& options) {
  for_each_option([&]<class T>(const QueueOption<T>& option) {
    const auto* of_several = line_of_several(option.name);
    if (of_several != kLinesOfSeveral.end()) return of_several->second(lines, options);
    // The lines of dead_letter_queue speak of the routes.
    if constexpr (!std::is_same_v<T, std::vector<DeadLetterRoute>>) add_option(lines, option, options);
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

void print_queue(std::ostream& out, const QueueInfo& info, const Screen& screen, Timestamp now) {
  Lines lines(out, screen);
  for (const std::string& line :
       wrapped(info.name, screen.is_terminal() ? screen.columns : std::string::npos))
    out << line << '\n';
  lines.add("created", "{} ago ({})", format_age(now - info.created_at), format_clock_time(info.created_at));
  add_options(lines, info.options);
  add_state(lines, info, now);
}

}  // namespace holdfast::command
