// holdfast dlq list, dlq redrive; redrive
#include <fmt/format.h>

#include <algorithm>

#include "duration.h"
#include "holdfast/limits.h"
#include "json.h"
#include "table.h"
#include "verbs.h"

namespace holdfast::command {
namespace {

struct ListArguments {
  std::string queue;
  std::optional<std::string> category;
  std::optional<std::uint64_t> after;
  std::size_t max = 100;
  bool all = false;
  bool bodies = false;
};

struct RedriveArguments {
  std::string queue;
  RedriveOptions options;
};

Table new_table(bool bodies) {
  std::vector<Column> columns{{"SEQ", true}, {"AGE", true},        {"CATEGORY", false, 24}, {"CAUSE"},
                              {"REASON"},    {"DELIVERIES", true}, {"SOURCE", false, 32}};
  if (bodies) columns.push_back({"BODY"});
  return Table(std::move(columns));
}

void add_row(Table& table, const DeadLetter& letter, bool bodies) {
  const FailureRecord& record = letter.record;
  std::vector<std::string> cells{std::to_string(static_cast<std::uint64_t>(letter.seq)),
                                 format_age(system_clock().now() - record.died_at),
                                 record.category,
                                 std::string(to_string(record.cause)),
                                 record.reason,
                                 std::to_string(record.deliveries),
                                 record.source_queue};
  if (bodies) cells.push_back(letter.body);
  table.add(cells);
}

// Says where to look instead when `queue` is not where its dead letters go.
void note_nothing(Session& session, Broker& broker, const std::string& queue) {
  session.note("no dead letters");
  auto info = broker.describe_queue(queue);
  if (info && !info->options.dead_letter_queue.empty()) {
    session.note(fmt::format("hint: '{}' dead-letters to '{}'", queue, info->options.dead_letter_queue));
  }
}

Result<void> list(Session& session, const ListArguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  ListDeadLettersOptions options{.category = arguments.category, .bodies = arguments.bodies};
  if (arguments.after) options.after = Seq{*arguments.after};
  Table table = new_table(arguments.bodies);
  std::size_t listed = 0;
  bool more = true;
  while (more && (arguments.all || listed < arguments.max)) {
    options.max = arguments.all ? limits::kListPage : std::min(limits::kListPage, arguments.max - listed);
    auto page = (*broker)->list_dead_letters(arguments.queue, options);
    if (!page) return tl::unexpected(page.error());
    for (const DeadLetter& letter : page->items) {
      if (session.json()) {
        session.print(to_json(letter, arguments.bodies));
      } else {
        add_row(table, letter, arguments.bodies);
      }
    }
    listed += page->items.size();
    more = page->next.has_value();
    if (more) options.after = page->next;
  }
  if (session.json()) return {};
  if (listed == 0) {
    note_nothing(session, **broker, arguments.queue);
    return {};
  }
  table.print(session.out());
  if (more) {
    session.note(fmt::format("{} shown; there may be more: --after {}, or --all", listed,
                             static_cast<std::uint64_t>(*options.after)));
  }
  return {};
}

Result<void> redrive(Session& session, const RedriveArguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  auto redriven = (*broker)->redrive(arguments.queue, arguments.options);
  if (!redriven) return tl::unexpected(redriven.error());
  if (session.json()) {
    session.print({{"queue", arguments.queue}, {"moved", redriven->moved}, {"skipped", redriven->skipped}});
    return {};
  }
  session.out() << "redrove " << redriven->moved << " messages from " << arguments.queue << '\n';
  if (redriven->skipped > 0) {
    session.out() << "left " << redriven->skipped << " in place: leased, or their source queue is deleted\n";
  }
  return {};
}

void add_redrive(CLI::App& parent, Session& session, const std::string& prefix) {
  auto arguments = std::make_shared<RedriveArguments>();
  CLI::App& verb =
      add_verb(parent, session, "redrive", "Move dead letters back to the queues they came from",
               {prefix + "redrive orders-dlq", prefix + "redrive orders-dlq --category timeout"});
  verb.add_option("queue", arguments->queue, "The dead letter queue")->required();
  verb.add_option("--category", arguments->options.category, "Only this category");
  on_run(verb, session, [arguments](Session& s) { return redrive(s, *arguments); });
}

void add_list(CLI::App& group, Session& session) {
  auto arguments = std::make_shared<ListArguments>();
  CLI::App& verb =
      add_verb(group, session, "list", "List dead letters, oldest first, without receiving them",
               {"holdfast dlq list orders-dlq", "holdfast dlq list orders-dlq --category validation --bodies",
                "holdfast dlq list orders-dlq --all --json | jq -r .reason | sort | uniq -c"});
  verb.add_option("queue", arguments->queue, "The dead letter queue")->required();
  verb.add_option("--category", arguments->category, "Only this category");
  auto* max =
      verb.add_option("-n,--max", arguments->max, "At most this many [100]")->check(CLI::PositiveNumber);
  verb.add_flag("--all", arguments->all, "All of them")->excludes(max);
  verb.add_option("--after", arguments->after, "Continue after this SEQ");
  verb.add_flag("--bodies", arguments->bodies, "With bodies, and with --json attributes too");
  on_run(verb, session, [arguments](Session& s) { return list(s, *arguments); });
}

}  // namespace

void add_dlq_verbs(CLI::App& root, Session& session) {
  CLI::App& group = add_verb(root, session, "dlq", "Look at dead letters and bring them back", {});
  group.require_subcommand(1);
  add_list(group, session);
  add_redrive(group, session, "holdfast dlq ");
  add_redrive(root, session, "holdfast ");
}

}  // namespace holdfast::command
