// `holdfast dlq` groups the verbs for dead letters. What several of them share is here too, such as the
// warning about a queue that is no dead letter queue.
#include <fmt/format.h>

#include <algorithm>

#include "tools/cli/dlq_verbs.h"
#include "tools/cli/verbs.h"
#include "tools/cli/verbs/redrive_verbs.h"

namespace holdfast::command {
namespace {

bool leads_to(const QueueOptions& options, const std::string& queue) {
  return options.dead_letters.queue == queue || options.dead_letters.parking_queue == queue ||
         std::ranges::find(options.dead_letters.routes, queue, &DeadLetterRoute::queue) !=
             options.dead_letters.routes.end();
}

bool any_leads_to(const std::vector<QueueInfo>& queues, const std::string& queue) {
  return std::ranges::any_of(queues, [&](const QueueInfo& other) { return leads_to(other.options, queue); });
}

}  // namespace

void note_no_dead_letters(CommandSession& session, Broker& broker, const std::string& queue) {
  const auto info = broker.describe_queue(queue);
  const std::uint64_t dead = info ? info->counts.dead : 0;
  session.note(dead == 0 ? "no dead letters"
                         : fmt::format("no such dead letters; '{}' has {} others", queue, dead));
}

void warn_unless_dead_letter_queue(CommandSession& session, Broker& broker, const std::string& queue) {
  const auto info = broker.describe_queue(queue);
  if (!info || info->counts.dead > 0) return;
  const auto queues = broker.list_queues();
  if (!queues || any_leads_to(*queues, queue)) return;
  const std::string& to = info->options.dead_letters.queue;
  session.warn(fmt::format("'{}' is not the dead letter queue of any queue", queue) +
               (to.empty() ? "" : fmt::format("; '{}' dead-letters to '{}'", queue, to)));
}

void warn_of_consumers(CommandSession& session, Broker& broker, const std::string& queue) {
  if (queue.empty()) return;
  const auto info = broker.describe_queue(queue);
  if (!info || info->options.dead_letters.queue.empty()) return;
  const auto queues = broker.list_queues();
  if (!queues || any_leads_to(*queues, queue)) return;
  session.warn(fmt::format("'{}' dead-letters to '{}' itself: its consumers receive these dead letters",
                           queue, info->options.dead_letters.queue));
}

std::vector<std::string> dead_letter_queues(const std::vector<QueueInfo>& queues) {
  std::vector<std::string> names;
  for (const QueueInfo& info : queues) {
    if (info.counts.dead > 0 || any_leads_to(queues, info.name)) names.push_back(info.name);
  }
  return names;
}

void add_dlq_verbs(CLI::App& root, CommandSession& session) {
  CLI::App& group =
      add_verb(root, session, "dlq", "Look at dead letters, triage them and bring them back",
               {"holdfast dlq list orders-dlq", "holdfast dlq group orders-dlq",
                "holdfast dlq show orders-dlq 17", "holdfast dlq redrive orders-dlq --category timeout"});
  group.require_subcommand(1);
  add_dlq_list(group, session);
  add_dlq_find(group, session);
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
