// `holdfast peek` shows messages without receiving them, from a place on that an earlier look named. A
// message that is looked for by its id may also be among the scheduled ones.
#include <charconv>

#include "tools/cli/filter_options.h"
#include "tools/cli/json.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/table.h"
#include "tools/cli/verbs.h"
#include "tools/cli/views/no_messages.h"

namespace holdfast::command {
namespace {

struct PeekArguments {
  std::string queue;
  std::string from;
  std::string id;
  PeekOptions options;
};

void add_row(Table& table, const PeekedMessage& message, bool bodies, Timestamp now) {
  std::vector<Cell> cells{message.scheduled ? to_string(*message.scheduled) : to_string(message.seq),
                          message.id.to_string(),
                          std::string(to_string(message.state)),
                          message.due ? format_age(*message.due - now) : std::string(),
                          format_age(now - message.sent_at),
                          std::to_string(message.deliveries)};
  if (bodies) cells.emplace_back(body_cell(message.body, message.redacted));
  table.add(std::move(cells));
}

Table new_message_table(bool bodies) {
  std::vector<Column> columns{{"PLACE", true},  {"ID", false, 2}, {"STATE"},
                              {"FOR", true, 3}, {"AGE", true, 1}, {"DELIVERIES", true, 4}};
  if (bodies) columns.push_back({"BODY"});
  return Table(std::move(columns));
}

// Sets where to begin, which is also where the next page begins.
Result<void> set_from(const std::string& text, PeekOptions& options) {
  if (text.empty()) return {};
  if (options.scheduled) {
    options.from_scheduled = parse_scheduled_place(text);
    if (options.from_scheduled) return {};
    return fail(ErrorCode::kInvalidArgument, "--from '" + text + "' is not DUE.ROW.INDEX");
  }
  std::uint64_t seq = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seq);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return fail(ErrorCode::kInvalidArgument, "--from '" + text + "' is not a place in the queue");
  }
  options.from = Seq{seq};
  return {};
}

std::string next_of(const PeekPage& page) {
  if (page.next) return std::to_string(static_cast<std::uint64_t>(*page.next));
  return page.next_scheduled ? to_string(*page.next_scheduled) : std::string();
}

// Shows up to `wanted` messages. Returns where further messages begin; empty if there are none.
Result<std::string> show(CommandSession& session, Broker& broker, const std::string& queue,
                         PeekOptions options, std::size_t wanted, Table& table, std::size_t& shown) {
  for (;;) {
    options.max = wanted - shown;
    auto page = broker.peek(queue, options);
    if (!page) return tl::unexpected(page.error());
    for (const PeekedMessage& message : page->items) {
      if (session.json()) {
        session.print(to_json(message, options.bodies));
      } else {
        add_row(table, message, options.bodies, broker.now());
      }
    }
    shown += page->items.size();
    options.from = page->next;
    options.from_scheduled = page->next_scheduled;
    std::string next = next_of(*page);
    if (next.empty() || shown == wanted) return next;
  }
}

// Says that there is nothing to show. Only a look at all that is in the log can say why.
std::string none_shown(Broker& broker, const PeekArguments& arguments) {
  if (!arguments.from.empty()) return "no messages from " + arguments.from + " on";
  if (arguments.options.scheduled || arguments.options.id) return "no messages";
  return no_messages(broker, arguments.queue);
}

Result<void> peek(CommandSession& session, PeekArguments arguments) {
  PeekOptions& options = arguments.options;
  if (auto ok = set_from(arguments.from, options); !ok) return ok;
  if (!arguments.id.empty()) {
    auto id = MessageId::parse(arguments.id);
    if (!id) return tl::unexpected(id.error());
    options.id = *id;
  }
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  Table table = new_message_table(options.bodies);
  const std::size_t wanted = options.id ? 1 : options.max;
  std::size_t shown = 0;
  auto next = show(session, **broker, arguments.queue, options, wanted, table, shown);
  if (!next) return tl::unexpected(next.error());
  // A message of this id may be in the log or among the scheduled ones.
  if (options.id && shown == 0 && !options.scheduled) {
    options.from.reset();
    options.scheduled = true;
    next = show(session, **broker, arguments.queue, options, wanted, table, shown);
    if (!next) return tl::unexpected(next.error());
  }
  if (shown == 0) {
    session.note(none_shown(**broker, arguments));
  } else if (!session.json()) {
    session.print(table);
  }
  if (!next->empty() && !options.id)
    session.note("more: --from " + *next, {{"more", true}, {"shown", shown}, {"from", *next}});
  return {};
}

}  // namespace

void add_peek(CLI::App& root, CommandSession& session) {
  auto arguments = std::make_shared<PeekArguments>();
  CLI::App& verb = add_verb(
      root, session, "peek", "Look at messages without receiving them",
      {"holdfast peek orders", "holdfast peek orders --from 1200 -n 20 --bodies",
       "holdfast peek orders --id 01890a5d-ac96-774b-bcce-b302099a8057", "holdfast peek orders --scheduled"});
  verb.add_option("queue", arguments->queue, "The queue")->required();
  verb.add_option("--from", arguments->from, "Begin at this place in the queue")->type_name("PLACE");
  verb.add_option("--id", arguments->id, "Only the message of this id")
      ->check(check_not_empty)
      ->type_name("ID");
  verb.add_option("-n,--max", arguments->options.max, "At most this many [100]")->check(check_number);
  verb.add_flag("--scheduled", arguments->options.scheduled,
                "Those that wait outside the log for their time, in the order in which they are due");
  verb.add_flag("--bodies", arguments->options.bodies, "Their bodies and attributes too");
  add_redaction(verb, arguments->options.redact);
  on_run(verb, session, [arguments](CommandSession& s) { return peek(s, *arguments); });
}

}  // namespace holdfast::command
