// `holdfast dlq group` counts the dead letters of a queue by what they have in common. Its table of groups
// also serves `dlq stats` and `dlq watch`.
#include <fmt/format.h>

#include "tools/cli/dlq_verbs.h"
#include "tools/cli/filter_options.h"
#include "tools/cli/json.h"
#include "tools/cli/texts/choices.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/table.h"

namespace holdfast::command {
namespace {

struct GroupArguments {
  std::string queue;
  std::optional<DeadLetterGrouping> by;
  FilterArguments filter;
  std::size_t max = 20;
  Redaction redact;
};

Json group_json(const DeadLetterGroup& group) {
  Json object{{"value", group.value},
              {"count", group.count},
              {"first_died_at", format_time(group.first_died_at)},
              {"last_died_at", format_time(group.last_died_at)}};
  object["sample"] = to_json(group.sample, false);
  return object;
}

}  // namespace

void print_groups(CommandSession& session, DeadLetterGrouping by, const DeadLetterGroups& groups) {
  std::string title(to_string(by));
  for (char& c : title) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  Table table(
      {{title}, {"COUNT", true}, {"FIRST", true, 1}, {"LAST", true, 1}, {"SAMPLE", true}, {"REASON"}});
  const Timestamp now = session.now();
  const auto age = [&](Timestamp time) { return format_age(now - time); };
  for (const DeadLetterGroup& group : groups.groups) {
    table.add({group.value, std::to_string(group.count), age(group.first_died_at), age(group.last_died_at),
               to_string(group.sample.seq), group.sample.record.reason});
  }
  session.print(table);
}

namespace {

Result<void> group(CommandSession& session, const GroupArguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  const auto by = arguments.by.value_or(DeadLetterGrouping::kFingerprint);
  auto filter = filter_of(arguments.filter, (*broker)->now());
  if (!filter) return tl::unexpected(filter.error());
  auto groups = (*broker)->group_dead_letters(
      arguments.queue,
      {.by = by, .filter = *std::move(filter), .max = arguments.max, .redact = arguments.redact});
  if (!groups) return tl::unexpected(groups.error());
  if (session.json()) {
    for (const DeadLetterGroup& each : groups->groups) session.print(group_json(each));
  } else if (groups->groups.empty()) {
    note_no_dead_letters(session, **broker, arguments.queue);
  } else {
    print_groups(session, by, *groups);
  }
  if (groups->left_out > 0) {
    session.note(fmt::format("{} smaller groups are left out: --max", groups->left_out),
                 {{"more", true}, {"shown", groups->groups.size()}, {"left_out", groups->left_out}});
  }
  if (!groups->complete)
    session.note("counted only the oldest that may match: narrow the filter", {{"complete", false}});
  return {};
}

}  // namespace

void add_dlq_group(CLI::App& parent, CommandSession& session) {
  auto arguments = std::make_shared<GroupArguments>();
  CLI::App& verb = add_verb(parent, session, "group", "Count dead letters by what they have in common",
                            {"holdfast dlq group orders-dlq", "holdfast dlq group orders-dlq --by category",
                             "holdfast dlq group orders-dlq --by consumer_version --newer-than 1d"});
  verb.add_option("queue", arguments->queue, "The dead letter queue")->required();
  add_choice<DeadLetterGrouping>(
      verb, "--by", [arguments](DeadLetterGrouping by) { arguments->by = by; },
      "What those of a group have in common [fingerprint]");
  add_filter(verb, arguments->filter);
  verb.add_option("-n,--max", arguments->max, "The largest groups, at most this many [20]")
      ->check(check_number)
      ->check(CLI::Range(1, 1000));
  add_redaction(verb, arguments->redact);
  on_run(verb, session, [arguments](CommandSession& s) { return group(s, *arguments); });
}

}  // namespace holdfast::command
