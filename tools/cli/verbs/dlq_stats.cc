// `holdfast dlq stats` tells how many dead letters a queue has and how old they are, and how many came in
// each of the last hours and days. Their groups by status, cause and more are in the same answer.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "holdfast/limits.h"
#include "tools/cli/dlq_verbs.h"
#include "tools/cli/json.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/table.h"
#include "tools/cli/texts/text.h"

namespace holdfast::command {
namespace {

struct LetterStatsArguments {
  std::string queue;
  DeadLetterStatisticsOptions options = {.hours = 24, .days = 7};
};

constexpr DeadLetterGrouping kGroupings[] = {
    DeadLetterGrouping::kStatus, DeadLetterGrouping::kCause,    DeadLetterGrouping::kCategory,
    DeadLetterGrouping::kSource, DeadLetterGrouping::kAssignee, DeadLetterGrouping::kConsumerVersion};
constexpr std::size_t kGroups = 20;  // the largest groups of each grouping that are shown

Json counts(const std::vector<ArrivalCount>& from) {
  Json object = Json::object();
  for (const auto& [value, count] : from) object[value] = count;
  return object;
}

Json arrivals_json(const std::vector<Arrivals>& from) {
  Json list = Json::array();
  for (const Arrivals& arrivals : from) {
    list.push_back({{"from", format_time(arrivals.from)},
                    {"total", arrivals.total},
                    {"categories", counts(arrivals.categories)},
                    {"other_categories", arrivals.other_categories},
                    {"causes", counts(arrivals.causes)}});
  }
  return list;
}

void add(Json& object, const DeadLetterStatistics& statistics) {
  object["dead"] = statistics.dead;
  object["oldest_died_at"] = time_or_null(statistics.oldest_died_at);
  Json& ages = object["ages"] = Json::array();
  for (const auto& [from, to, count] : statistics.ages) {
    ages.push_back(
        {{"from_ms", from / std::chrono::milliseconds(1)},
         {"to_ms", to == Duration::max() ? Json(nullptr) : Json(to / std::chrono::milliseconds(1))},
         {"count", count}});
  }
  object["arrivals_last_minute"] = statistics.arrivals_last_minute;
  object["hours"] = arrivals_json(statistics.hours);
  object["days"] = arrivals_json(statistics.days);
}

// Returns a text such as "timeout 80 %, validation 15 %, - 5 %".
std::string shares(const std::vector<ArrivalCount>& of, std::uint64_t others, std::uint64_t total) {
  std::string text;
  const auto add = [&](const std::string& value, std::uint64_t count) {
    const double percent = 100.0 * static_cast<double>(count) / static_cast<double>(total);
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", value.empty() ? "-" : value, percent);
  };
  for (const auto& [value, count] : of) add(value, count);
  if (others > 0) add("others", others);
  return text;
}

void print(CommandSession& session, const std::string& title, const std::vector<Arrivals>& arrivals,
           std::size_t shown) {
  if (arrivals.empty()) return;
  session.out() << '\n';
  Table table({{title}, {"DIED", true}, {"CATEGORIES"}, {"CAUSES"}});
  for (const Arrivals& each : arrivals) {
    table.add({format_time(each.from).substr(0, shown), std::to_string(each.total),
               shares(each.categories, each.other_categories, each.total),
               shares(each.causes, 0, each.total)});
  }
  session.print(table);
}

// Prints the sum in one line, or in two if the terminal has no room for one.
void print_sum(CommandSession& session, const std::string& queue, const DeadLetterStatistics& statistics) {
  const Screen screen = session.screen();
  std::vector<std::string> lines{fmt::format("{} in {}", counted(statistics.dead, "dead letter"), queue)};
  if (statistics.oldest_died_at) {
    const std::string came = fmt::format("{} came in the last whole minute", statistics.arrivals_last_minute);
    lines.back() +=
        fmt::format(", the oldest died {} ago", format_age(statistics.at - *statistics.oldest_died_at));
    const std::string both = lines.back() + "; " + came;
    const bool fits = !screen.is_terminal() || display_width(both) <= screen.columns;
    fits ? lines.back() = both : lines.emplace_back(came);
  }
  for (const std::string& line : lines)
    session.out() << (screen.is_terminal() ? printable(line, screen.columns) : line) << '\n';
}

void print_ages(CommandSession& session, const DeadLetterStatistics& statistics) {
  if (statistics.dead == 0) return;
  session.out() << '\n';
  Table table({{"AGE"}, {"COUNT", true}});
  for (const auto& [from, to, count] : statistics.ages) {
    if (count == 0) continue;
    table.add({to == Duration::max() ? format_age(from) + " or more" : "less than " + format_age(to),
               std::to_string(count)});
  }
  session.print(table);
}

Result<void> stats(CommandSession& session, const LetterStatsArguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  const auto statistics = (*broker)->dead_letter_statistics(arguments.queue, arguments.options);
  if (!statistics) return tl::unexpected(statistics.error());
  Json object{{"queue", arguments.queue}};
  if (session.json()) {
    add(object, *statistics);
  } else {
    print_sum(session, arguments.queue, *statistics);
    print_ages(session, *statistics);
  }
  for (const DeadLetterGrouping by : kGroupings) {
    auto groups = (*broker)->group_dead_letters(arguments.queue, {.by = by, .max = kGroups});
    if (!groups) return tl::unexpected(groups.error());
    if (session.json()) {
      Json& of = object[std::string(to_string(by))] = Json::object();
      for (const DeadLetterGroup& each : groups->groups) of[each.value] = each.count;
    } else if (!groups->groups.empty()) {
      session.out() << '\n';
      print_groups(session, by, *groups);
    }
  }
  if (session.json()) {
    session.print(object);
    return {};
  }
  print(session, "HOUR (UTC)", statistics->hours, std::string_view("2026-03-01T09:00").size());
  print(session, "DAY (UTC)", statistics->days, std::string_view("2026-03-01").size());
  return {};
}

}  // namespace

void add_dlq_stats(CLI::App& group, CommandSession& session) {
  auto arguments = std::make_shared<LetterStatsArguments>();
  CLI::App& verb = add_verb(group, session, "stats",
                            "Count dead letters by age, status, cause and more, and how many came when",
                            {"holdfast dlq stats orders-dlq", "holdfast dlq stats orders-dlq --hours 72",
                             "holdfast dlq stats orders-dlq --days 90 --json | jq .days[-1].categories"});
  verb.add_option("queue", arguments->queue, "The dead letter queue")->required();
  verb.add_option("--hours", arguments->options.hours, "Show how many came in each of the last hours [24]")
      ->check(check_number)
      ->check(CLI::Range(std::size_t{0}, limits::kArrivalHours));
  verb.add_option("--days", arguments->options.days, "Show how many came in each of the last days [7]")
      ->check(check_number)
      ->check(CLI::Range(std::size_t{0}, limits::kArrivalDays));
  on_run(verb, session, [arguments](CommandSession& s) { return stats(s, *arguments); });
}

}  // namespace holdfast::command
