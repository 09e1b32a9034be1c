// `holdfast dlq list` shows the dead letters of a queue that a filter picks, without receiving them. It asks
// for page after page up to --max, and says where to go on if there are more.
#include <fmt/format.h>

#include <algorithm>

#include "holdfast/limits.h"
#include "tools/cli/dlq_verbs.h"
#include "tools/cli/filter_options.h"
#include "tools/cli/json.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/table.h"

namespace holdfast::command {
namespace {

struct ListLettersArguments {
  std::string queue;
  FilterArguments filter;
  std::string after;
  std::uint64_t max = 100;
  bool all = false;
  bool bodies = false;
  bool newest = false;
  Redaction redact;
};

Table new_letter_table(bool bodies) {
  std::vector<Column> columns{
      {"SEQ", true},        {"AGE", true},          {"STATUS", false, 2}, {"CATEGORY", false, 1},
      {"CODE", false, 4},   {"CAUSE", false, 3},    {"REASON"},           {"DELIVERIES", true, 6},
      {"REPLAYS", true, 5}, {"CONSUMER", false, 7}, {"SOURCE", false, 2}};
  if (bodies) columns.push_back({"BODY"});
  return Table(std::move(columns));
}

void add_row(Table& table, const DeadLetter& letter, bool bodies, Timestamp now) {
  const FailureRecord& record = letter.record;
  std::vector<Cell> cells{
      to_string(letter.seq),
      format_age(now - record.died_at),
      std::string(to_string(letter.triage.status)),
      record.category,
      record.code,
      std::string(to_string(record.cause)),
      record.reason,
      std::to_string(record.deliveries),
      std::to_string(record.replays),
      record.consumer.version.empty() ? record.consumer.instance : record.consumer.version,
      record.source_queue};
  if (bodies) cells.emplace_back(body_cell(letter.body, letter.redacted));
  table.add(std::move(cells));
}

Result<void> list(CommandSession& session, const ListLettersArguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  auto filter = filter_of(arguments.filter, (*broker)->now());
  if (!filter) return tl::unexpected(filter.error());
  ListDeadLettersOptions options{.filter = *std::move(filter),
                                 .bodies = arguments.bodies,
                                 .newest_first = arguments.newest,
                                 .redact = arguments.redact};
  if (!arguments.after.empty()) {
    auto after = DeadLetterCursor::parse(arguments.after);
    if (!after) return tl::unexpected(after.error());
    options.after = *after;
  }
  Table table = new_letter_table(arguments.bodies);
  std::uint64_t listed = 0;
  bool more = true;
  while (more && (arguments.all || listed < arguments.max)) {
    options.max = arguments.all ? limits::kListPage
                                : std::min<std::uint64_t>(limits::kListPage, arguments.max - listed);
    auto page = (*broker)->list_dead_letters(arguments.queue, options);
    if (!page) return tl::unexpected(page.error());
    for (const DeadLetter& letter : page->items) {
      if (session.json()) {
        session.print(to_json(letter, arguments.bodies));
      } else {
        add_row(table, letter, arguments.bodies, page->time);
      }
    }
    listed += page->items.size();
    more = page->next.has_value();
    if (more) options.after = page->next;
  }
  if (listed == 0 && !more) {
    note_no_dead_letters(session, **broker, arguments.queue);
    return {};
  }
  if (!session.json()) session.print(table);
  if (more) session.note_more(listed, options.after->to_string());
  return {};
}

}  // namespace

void add_dlq_list(CLI::App& group, CommandSession& session) {
  auto arguments = std::make_shared<ListLettersArguments>();
  CLI::App& verb = add_verb(
      group, session, "list", "List dead letters, oldest first, without receiving them",
      {"holdfast dlq list orders-dlq", "holdfast dlq list orders-dlq --consumer-version 2.1 --newer-than 1d",
       "holdfast dlq list orders-dlq --status new --reason 'out of stock' --bodies",
       "holdfast dlq list orders-dlq --all --json | jq -r .reason | sort | uniq -c"});
  verb.add_option("queue", arguments->queue, "The dead letter queue")->required();
  add_letters(verb, arguments->filter);
  add_filter(verb, arguments->filter);
  auto* max = verb.add_option("-n,--max", arguments->max, "At most this many [100]")->check(check_positive);
  verb.add_flag("--all", arguments->all, "All of them")->excludes(max);
  verb.add_option("--after", arguments->after,
                  "Continue after this place, which the note under an earlier page gives");
  verb.add_flag("--newest", arguments->newest, "Newest first");
  verb.add_flag("--bodies", arguments->bodies, "With bodies, and with --json attributes too");
  add_redaction(verb, arguments->redact);
  on_run(verb, session, [arguments](CommandSession& s) { return list(s, *arguments); });
}

}  // namespace holdfast::command
