// `holdfast history` shows step by step where a message has been. The steps come from the journals of all
// queues, and a queue without a journal does not remember it.
#include <fmt/format.h>

#include "tools/cli/json.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/table.h"
#include "tools/cli/texts/text.h"
#include "tools/cli/verbs.h"

namespace holdfast::command {
namespace {

Json step_json(const HistoryStep& step) {
  return {{"at", format_time(step.at)},
          {"step", to_string(step.kind)},
          {"queue", step.queue},
          {"to", step.to},
          {"seq", to_string(step.seq)},
          {"deliveries", step.deliveries},
          {"consumer", {{"instance", step.consumer.instance}, {"version", step.consumer.version}}},
          {"until", step.until == Timestamp{} ? Json() : Json(format_time(step.until))},
          {"cause", step.cause == DeathCause{} ? Json() : Json(to_string(step.cause))},
          {"category", step.category},
          {"reason", step.reason}};
}

std::string details_of(const HistoryStep& step) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (!step.to.empty()) add("to " + step.to);
  if (step.deliveries > 0) add(fmt::format("delivery {}", step.deliveries));
  if (!step.consumer.instance.empty()) add("consumer " + printable(step.consumer.instance));
  if (step.until != Timestamp{}) add("until " + format_time(step.until));
  if (step.cause != DeathCause{}) add(std::string(to_string(step.cause)));
  if (!step.category.empty()) add(printable(step.category));
  if (!step.reason.empty()) add(printable(step.reason));
  return text;
}

Result<void> history(CommandSession& session, const std::string& text) {
  const auto id = MessageId::parse(text);
  if (!id) return tl::unexpected(id.error());
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  const auto history = (*broker)->message_history(*id);
  if (!history) return tl::unexpected(history.error());
  Table table({{"AT"}, {"STEP"}, {"QUEUE"}, {"DETAILS"}});
  for (const HistoryStep& step : history->steps) {
    if (session.json()) {
      session.print(step_json(step));
    } else {
      table.add({format_time(step.at), std::string(to_string(step.kind)), step.queue, details_of(step)});
    }
  }
  if (history->steps.empty()) {
    session.note("no queue remembers this message; a queue does with --journal entries=N");
  } else if (!session.json()) {
    session.print(table);
  }
  if (history->truncated) session.note("earlier steps were left out", {{"truncated", true}});
  return {};
}

}  // namespace

void add_history(CLI::App& root, CommandSession& session) {
  auto id = std::make_shared<std::string>();
  CLI::App& verb =
      add_verb(root, session, "history", "Show where a message has been, over all queues with a journal",
               {"holdfast history 01890a5d-ac96-774b-bcce-b302099a8057"});
  verb.add_option("id", *id, "The message's id")->required();
  on_run(verb, session, [id](CommandSession& s) { return history(s, *id); });
}

}  // namespace holdfast::command
