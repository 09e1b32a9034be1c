// holdfast dlq redrive; redrive
#include <fmt/format.h>

#include "dlq_verbs.h"
#include "verbs.h"

namespace holdfast::command {
namespace {

struct RedriveArguments {
  std::string queue;
  RedriveOptions options;
};

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

}  // namespace

void add_redrive(CLI::App& parent, Session& session, const std::string& prefix) {
  auto arguments = std::make_shared<RedriveArguments>();
  CLI::App& verb =
      add_verb(parent, session, "redrive", "Move dead letters back to the queues they came from",
               {prefix + "redrive orders-dlq", prefix + "redrive orders-dlq --category timeout"});
  verb.add_option("queue", arguments->queue, "The dead letter queue")->required();
  verb.add_option("--category", arguments->options.category, "Only this category");
  on_run(verb, session, [arguments](Session& s) { return redrive(s, *arguments); });
}

void note_no_dead_letters(Session& session, Broker& broker, const std::string& queue) {
  session.note("no dead letters");
  auto info = broker.describe_queue(queue);
  if (info && !info->options.dead_letter_queue.empty()) {
    session.note(fmt::format("hint: '{}' dead-letters to '{}'", queue, info->options.dead_letter_queue));
  }
}

void add_dlq_verbs(CLI::App& root, Session& session) {
  CLI::App& group =
      add_verb(root, session, "dlq", "Look at dead letters, triage them and bring them back", {});
  group.require_subcommand(1);
  add_dlq_list(group, session);
  add_dlq_show(group, session);
  add_dlq_group(group, session);
  add_dlq_triage(group, session);
  add_dlq_archive(group, session);
  add_dlq_watch(group, session);
  add_redrive(group, session, "holdfast dlq ");
  add_redrive(root, session, "holdfast ");
}

}  // namespace holdfast::command
