// holdfast dlq tasks, dlq cancel
#include <fmt/format.h>

#include "duration.h"
#include "filter_options.h"
#include "json.h"
#include "redrive_verbs.h"
#include "table.h"
#include "text.h"

namespace holdfast::command {
namespace {

struct CancelArguments {
  std::uint64_t task = 0;
  std::string actor;
};

// "3 of 5 acked, 1 failed"
std::string canary_text(const TaskStatus& status) {
  if (status.canaries == 0) return {};
  std::string text = fmt::format("{} of {} acked", status.canary_acked, status.canaries);
  if (status.canary_failed > 0) text += fmt::format(", {} failed", status.canary_failed);
  return text;
}

}  // namespace

std::string state_text(const TaskStatus& status) {
  std::string text(to_string(status.state));
  if (!status.cancelled_by.empty()) text += " by " + status.cancelled_by;
  return text;
}

namespace {

Result<void> list(Session& session) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  auto tasks = (*broker)->list_redrives();
  if (!tasks) return tl::unexpected(tasks.error());
  if (session.json()) {
    for (const TaskStatus& status : *tasks) session.print(to_json(status));
    return {};
  }
  if (tasks->empty()) {
    session.note("no redrive tasks");
    return {};
  }
  Table table({{"TASK", true},
               {"QUEUE", false, 32},
               {"TO", false, 32},
               {"STATE"},
               {"MOVED", true},
               {"PARKED", true},
               {"LEFT", true},
               {"OF", true},
               {"WHY LEFT", false, 48},
               {"CANARY"},
               {"STARTED"},
               {"ACTOR", false, 24},
               {"ERROR"}});
  for (const TaskStatus& status : *tasks) {
    table.add({std::to_string(static_cast<std::uint64_t>(status.id)), status.queue,
               status.to.empty() ? "origin" : status.to, state_text(status), std::to_string(status.moved),
               std::to_string(status.parked), std::to_string(status.left.total()),
               std::to_string(status.total), to_string(status.left), canary_text(status),
               format_age(system_clock().now() - status.started_at) + " ago", status.actor, status.error});
  }
  table.print(session.out());
  return {};
}

Result<void> cancel(Session& session, const CancelArguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  auto status = (*broker)->cancel_redrive(TaskId{arguments.task}, arguments.actor);
  if (!status) return tl::unexpected(status.error());
  if (session.json()) {
    session.print(to_json(*status));
  } else {
    session.out() << fmt::format("task {} is {}; it moved {}\n", arguments.task, state_text(*status),
                                 counted(status->moved, "message"));
  }
  return {};
}

}  // namespace

void add_task_verbs(CLI::App& group, Session& session) {
  CLI::App& tasks =
      add_verb(group, session, "tasks", "List redrive tasks, running ones and the last that ended",
               {"holdfast dlq tasks", "holdfast dlq tasks --json | jq -r .state"});
  on_run(tasks, session, list);

  auto arguments = std::make_shared<CancelArguments>();
  CLI::App& verb = add_verb(group, session, "cancel", "End a redrive task; what it moved stays moved",
                            {"holdfast dlq cancel 7"});
  verb.add_option("task", arguments->task, "Its number, as 'dlq tasks' shows it")->required();
  add_actor(verb, arguments->actor);
  on_run(verb, session, [arguments](Session& s) { return cancel(s, *arguments); });
}

}  // namespace holdfast::command
