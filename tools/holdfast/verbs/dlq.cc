// holdfast dlq
#include <fmt/format.h>

#include "dlq_verbs.h"
#include "redrive_verbs.h"
#include "verbs.h"

namespace holdfast::command {
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
  add_dlq_stats(group, session);
  add_dlq_triage(group, session);
  add_dlq_archive(group, session);
  add_dlq_watch(group, session);
  add_redrive(group, session, "holdfast dlq ");
  add_redrive(root, session, "holdfast ");
  add_park(group, session);
  add_task_verbs(group, session);
}

}  // namespace holdfast::command
