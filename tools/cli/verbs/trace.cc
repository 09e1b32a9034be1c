// holdfast trace
#include <fmt/format.h>

#include "tools/cli/json.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/table.h"
#include "tools/cli/texts/text.h"
#include "tools/cli/verbs.h"

namespace holdfast::command {
namespace {

Json to_json(const Step& step) {
  return {{"at", format_time(step.at)},
          {"step", to_string(step.kind)},
          {"queue", step.queue},
          {"to", step.to},
          {"seq", static_cast<std::uint64_t>(step.seq)},
          {"deliveries", step.deliveries},
          {"consumer", {{"instance", step.consumer.instance}, {"version", step.consumer.version}}},
          {"until", step.until == Timestamp{} ? Json() : Json(format_time(step.until))},
          {"cause", step.cause == DeathCause{} ? Json() : Json(to_string(step.cause))},
          {"category", step.category},
          {"reason", step.reason}};
}

std::string details_of(const Step& step) {
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

Result<void> trace(Session& session, const std::string& text) {
  const auto id = MessageId::parse(text);
  if (!id) return tl::unexpected(id.error());
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  const auto trace = (*broker)->trace(*id);
  if (!trace) return tl::unexpected(trace.error());
  Table table({{"AT"}, {"STEP"}, {"QUEUE"}, {"DETAILS"}});
  for (const Step& step : trace->steps) {
    if (session.json()) {
      session.print(to_json(step));
    } else {
      table.add({format_time(step.at), std::string(to_string(step.kind)), step.queue, details_of(step)});
    }
  }
  if (trace->steps.empty()) {
    session.note("no queue remembers this message; a queue does with --journal entries=N");
  } else if (!session.json()) {
    session.print(table);
  }
  if (trace->truncated) session.note("earlier steps were left out");
  return {};
}

}  // namespace

void add_trace(CLI::App& root, Session& session) {
  auto id = std::make_shared<std::string>();
  CLI::App& verb =
      add_verb(root, session, "trace", "Show where a message has been, over all queues with a journal",
               {"holdfast trace 01890a5d-ac96-774b-bcce-b302099a8057"});
  verb.add_option("id", *id, "The message's id")->required();
  on_run(verb, session, [id](Session& s) { return trace(s, *id); });
}

}  // namespace holdfast::command
