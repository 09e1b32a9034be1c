// holdfast dlq group, stats
#include <fmt/format.h>

#include "dlq_verbs.h"
#include "duration.h"
#include "filter_options.h"
#include "json.h"
#include "table.h"

namespace holdfast::command {
namespace {

struct Arguments {
  std::string queue;
  std::optional<DeadLetterGrouping> by;
  FilterArguments filter;
  std::size_t max = 20;
};

Json to_json(const DeadLetterGroup& group) {
  Json object{{"value", group.value},
              {"count", group.count},
              {"first_died_at", format_time(group.first_died_at)},
              {"last_died_at", format_time(group.last_died_at)}};
  object["sample"] = command::to_json(group.sample, false);
  return object;
}

std::string age(Timestamp time) { return format_age(system_clock().now() - time); }

void print(Session& session, DeadLetterGrouping by, const DeadLetterGroups& groups) {
  std::string title(to_string(by));
  for (char& c : title) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  Table table(
      {{title, false, 40}, {"COUNT", true}, {"FIRST", true}, {"LAST", true}, {"SAMPLE", true}, {"REASON"}});
  for (const DeadLetterGroup& group : groups.groups) {
    table.add({group.value, std::to_string(group.count), age(group.first_died_at), age(group.last_died_at),
               std::to_string(static_cast<std::uint64_t>(group.sample.seq)), group.sample.record.reason});
  }
  table.print(session.out());
  if (groups.left_out > 0)
    session.note(fmt::format("{} smaller groups are left out: --max", groups.left_out));
  if (!groups.complete) session.note("counted only the oldest that may match: narrow the filter");
}

Result<void> group(Session& session, const Arguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  const auto by = arguments.by.value_or(DeadLetterGrouping::kFingerprint);
  auto groups = (*broker)->group_dead_letters(
      arguments.queue, {.by = by, .filter = filter_of(arguments.filter), .max = arguments.max});
  if (!groups) return tl::unexpected(groups.error());
  if (session.json()) {
    for (const DeadLetterGroup& each : groups->groups) session.print(to_json(each));
  } else if (groups->groups.empty()) {
    note_no_dead_letters(session, **broker, arguments.queue);
  } else {
    print(session, by, *groups);
  }
  return {};
}

constexpr DeadLetterGrouping kStats[] = {DeadLetterGrouping::kStatus,   DeadLetterGrouping::kCause,
                                         DeadLetterGrouping::kCategory, DeadLetterGrouping::kSource,
                                         DeadLetterGrouping::kAssignee, DeadLetterGrouping::kConsumerVersion};

Result<void> stats(Session& session, const Arguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  auto info = (*broker)->describe_queue(arguments.queue);
  if (!info) return tl::unexpected(info.error());
  Json object{{"queue", arguments.queue}, {"dead", info->counts.dead}};
  if (!session.json()) session.out() << info->counts.dead << " dead letters in " << arguments.queue << '\n';
  for (const DeadLetterGrouping by : kStats) {
    auto groups = (*broker)->group_dead_letters(arguments.queue, {.by = by, .max = arguments.max});
    if (!groups) return tl::unexpected(groups.error());
    if (session.json()) {
      Json& counts = object[std::string(to_string(by))] = Json::object();
      for (const DeadLetterGroup& each : groups->groups) counts[each.value] = each.count;
    } else if (!groups->groups.empty()) {
      session.out() << '\n';
      print(session, by, *groups);
    }
  }
  if (session.json()) session.print(object);
  return {};
}

}  // namespace

void add_dlq_group(CLI::App& parent, Session& session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& verb = add_verb(parent, session, "group", "Count dead letters by what they have in common",
                            {"holdfast dlq group orders-dlq", "holdfast dlq group orders-dlq --by category",
                             "holdfast dlq group orders-dlq --by consumer_version --newer-than 1d"});
  verb.add_option("queue", arguments->queue, "The dead letter queue")->required();
  verb.add_option_function<std::string>(
      "--by",
      [arguments](const std::string& text) {
        arguments->by = parse_dead_letter_grouping(text);
        if (!arguments->by) throw CLI::ValidationError("--by", "'" + text + "' is no such value");
      },
      "fingerprint, category, code, cause, status, assignee, source or consumer_version [fingerprint]");
  add_filter(verb, arguments->filter);
  verb.add_option("-n,--max", arguments->max, "The largest groups, at most this many [20]")
      ->check(CLI::Range(1, 1000));
  on_run(verb, session, [arguments](Session& s) { return group(s, *arguments); });

  auto of_stats = std::make_shared<Arguments>();
  CLI::App& stats_verb =
      add_verb(parent, session, "stats", "Count dead letters by status, cause, category and more",
               {"holdfast dlq stats orders-dlq"});
  stats_verb.add_option("queue", of_stats->queue, "The dead letter queue")->required();
  on_run(stats_verb, session, [of_stats](Session& s) { return stats(s, *of_stats); });
}

}  // namespace holdfast::command
