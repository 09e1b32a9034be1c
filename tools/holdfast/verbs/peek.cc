// holdfast peek
#include <fmt/format.h>

#include "duration.h"
#include "json.h"
#include "table.h"
#include "verbs.h"

namespace holdfast::command {
namespace {

struct Arguments {
  std::string queue;
  std::optional<std::uint64_t> from;
  std::string id;
  PeekOptions options;
};

void add_row(Table& table, const PeekedMessage& message, bool bodies) {
  const Timestamp now = system_clock().now();
  std::vector<std::string> cells{std::to_string(static_cast<std::uint64_t>(message.seq)),
                                 message.id.to_string(),
                                 std::string(to_string(message.state)),
                                 message.due ? format_age(*message.due - now) : std::string(),
                                 format_age(now - message.sent_at),
                                 std::to_string(message.deliveries)};
  if (bodies) cells.push_back(message.body);
  table.add(cells);
}

Table new_table(bool bodies) {
  std::vector<Column> columns{{"SEQ", true}, {"ID"},        {"STATE"},
                              {"FOR", true}, {"AGE", true}, {"DELIVERIES", true}};
  if (bodies) columns.push_back({"BODY"});
  return Table(std::move(columns));
}

Result<void> peek(Session& session, Arguments arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  if (arguments.from) arguments.options.from = Seq{*arguments.from};
  if (!arguments.id.empty()) {
    auto id = MessageId::parse(arguments.id);
    if (!id) return tl::unexpected(id.error());
    arguments.options.id = *id;
  }
  Table table = new_table(arguments.options.bodies);
  const std::size_t wanted = arguments.options.id ? 1 : arguments.options.max;
  std::size_t shown = 0;
  std::optional<Seq> next;
  do {
    arguments.options.max = wanted - shown;
    auto page = (*broker)->peek(arguments.queue, arguments.options);
    if (!page) return tl::unexpected(page.error());
    for (const PeekedMessage& message : page->items) {
      if (session.json()) {
        session.print(to_json(message, arguments.options.bodies));
      } else {
        add_row(table, message, arguments.options.bodies);
      }
    }
    shown += page->items.size();
    next = arguments.options.from = page->next;
  } while (next && shown < wanted);
  if (shown == 0) {
    session.note("no messages");
  } else if (!session.json()) {
    table.print(session.out());
  }
  if (next && !arguments.options.id) {
    session.note(fmt::format("more: --from {}", static_cast<std::uint64_t>(*next)));
  }
  return {};
}

}  // namespace

void add_peek(CLI::App& root, Session& session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& verb = add_verb(root, session, "peek", "Look at messages without receiving them",
                            {"holdfast peek orders", "holdfast peek orders --from 1200 -n 20 --bodies",
                             "holdfast peek orders --id 01890a5d-ac96-774b-bcce-b302099a8057"});
  verb.add_option("queue", arguments->queue, "The queue")->required();
  verb.add_option("--from", arguments->from, "Begin at this place in the queue")->type_name("SEQ");
  verb.add_option("--id", arguments->id, "Only the message of this id")->type_name("ID");
  verb.add_option("-n,--max", arguments->options.max, "At most this many [100]");
  verb.add_flag("--bodies", arguments->options.bodies, "Their bodies and attributes too");
  on_run(verb, session, [arguments](Session& s) { return peek(s, *arguments); });
}

}  // namespace holdfast::command
