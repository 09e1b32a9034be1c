// `holdfast dlq find` searches the dead letters of all queues by their content. It also says in which queues
// the index could not answer, so that the letters were read one by one.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "holdfast/limits.h"
#include "tools/cli/dlq_verbs.h"
#include "tools/cli/filter_options.h"
#include "tools/cli/json.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/table.h"

namespace holdfast::command {
namespace {

struct FindArguments {
  std::vector<std::string> queues;
  FilterArguments filter;
  std::string after;
  std::uint64_t max = 100;
  bool all = false;
  bool bodies = false;
  Redaction redact;
};

Table new_found_table(bool bodies) {
  std::vector<Column> columns{{"QUEUE"},     {"SEQ", true},        {"ID", false, 3},
                              {"AGE", true}, {"STATUS", false, 1}, {"CATEGORY", false, 2},
                              {"REASON"},    {"REPLAYS", true, 5}, {"SOURCE", false, 4}};
  if (bodies) columns.push_back({"BODY"});
  return Table(std::move(columns));
}

void add_row(Table& table, const FoundDeadLetter& found, bool bodies, Timestamp now) {
  const DeadLetter& letter = found.letter;
  const FailureRecord& record = letter.record;
  std::vector<Cell> cells{found.queue,
                          to_string(letter.seq),
                          letter.id.to_string(),
                          format_age(now - record.died_at),
                          std::string(to_string(letter.triage.status)),
                          record.category,
                          record.reason,
                          std::to_string(record.replays),
                          record.source_queue};
  if (bodies) cells.emplace_back(body_cell(letter.body, letter.redacted));
  table.add(std::move(cells));
}

void print_found(CommandSession& session, Table& table, const FoundDeadLetter& found, bool bodies,
                 Timestamp now) {
  if (!session.json()) return add_row(table, found, bodies, now);
  Json object{{"queue", found.queue}};
  object.update(to_json(found.letter, bodies));
  session.print(object);
}

// Tells the person when the index did not answer a search, which then read everything.
void note_scanned(CommandSession& session, const std::set<std::string>& queues) {
  if (queues.empty()) return;
  constexpr std::size_t kNamed = 3;
  std::string names;
  std::size_t named = 0;
  for (const std::string& queue : queues) {
    if (named++ == kNamed) break;
    names += (names.empty() ? "" : ", ") + queue;
  }
  if (queues.size() > kNamed) names += fmt::format(" and {} more", queues.size() - kNamed);
  session.note(fmt::format("the index does not cover the whole filter: read one by one in {}", names),
               {{"scanned", queues}});
}

Result<void> find(CommandSession& session, const FindArguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  auto filter = filter_of(arguments.filter, (*broker)->now());
  if (!filter) return tl::unexpected(filter.error());
  FindDeadLettersOptions options{.filter = *std::move(filter),
                                 .queues = arguments.queues,
                                 .bodies = arguments.bodies,
                                 .redact = arguments.redact};
  if (!arguments.after.empty()) {
    auto after = FindCursor::parse(arguments.after);
    if (!after) return tl::unexpected(after.error());
    options.after = *std::move(after);
  }
  Table table = new_found_table(arguments.bodies);
  std::set<std::string> scanned;
  std::uint64_t listed = 0;
  bool more = true;
  while (more && (arguments.all || listed < arguments.max)) {
    options.max = arguments.all ? limits::kListPage
                                : std::min<std::uint64_t>(limits::kListPage, arguments.max - listed);
    const auto page = (*broker)->find_dead_letters(options);
    if (!page) return tl::unexpected(page.error());
    for (const FoundDeadLetter& found : page->items)
      print_found(session, table, found, arguments.bodies, page->time);
    scanned.insert(page->scanned.begin(), page->scanned.end());
    listed += page->items.size();
    more = page->next.has_value();
    if (more) options.after = page->next;
  }
  if (listed == 0 && !more) {
    session.note("no such dead letters");
    for (const std::string& queue : arguments.queues) warn_unless_dead_letter_queue(session, **broker, queue);
  } else if (!session.json()) {
    session.print(table);
  }
  note_scanned(session, scanned);
  if (more) session.note_more(listed, options.after->to_string());
  return {};
}

}  // namespace

void add_dlq_find(CLI::App& group, CommandSession& session) {
  auto arguments = std::make_shared<FindArguments>();
  CLI::App& verb = add_verb(
      group, session, "find", "Find dead letters in all queues by their content",
      {"holdfast dlq find --attribute customer=4711", "holdfast dlq find --correlation-id c-17 --history",
       "holdfast dlq find 0190f3a1-b2c3-7d4e-8f60-718293a4b5c6",
       "holdfast dlq find --min-replays 3 --queue orders-dlq",
       "holdfast dlq find --in-body '\"sku\": \"A-1\"' --newer-than 1d"});
  add_letters(verb, arguments->filter);
  verb.add_option("--queue", arguments->queues, "Only in this queue; may be repeated")
      ->type_name(kQueueType)
      ->allow_extra_args(false);
  add_filter(verb, arguments->filter);
  auto* max = verb.add_option("-n,--max", arguments->max, "At most this many [100]")->check(check_positive);
  verb.add_flag("--all", arguments->all, "All of them")->excludes(max);
  verb.add_option("--after", arguments->after, "Continue there: as an earlier search said");
  verb.add_flag("--bodies", arguments->bodies, "With bodies, and with --json attributes too");
  add_redaction(verb, arguments->redact);
  on_run(verb, session, [arguments](CommandSession& s) { return find(s, *arguments); });
}

}  // namespace holdfast::command
