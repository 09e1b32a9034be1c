// `holdfast dlq tasks` shows how far redrives have come and what became of the messages that they moved, and
// `dlq cancel` ends one. What a task has moved stays moved.
#include <fmt/format.h>

#include <algorithm>

#include "tools/cli/filter_options.h"
#include "tools/cli/json.h"
#include "tools/cli/progress.h"
#include "tools/cli/texts/choices.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/table.h"
#include "tools/cli/texts/text.h"
#include "tools/cli/verbs/redrive_verbs.h"

namespace holdfast::command {
namespace {

struct ListTasksArguments {
  std::string queue;              // empty: tasks of all queues
  std::vector<TaskState> states;  // empty: tasks in all states
  std::uint64_t after = 0;        // 0: begin with the newest task
  std::uint64_t max = 20;
  bool all = false;
};

struct CancelTaskArguments {
  std::uint64_t task = 0;
  std::string actor;
};

std::uint64_t number_of(const TaskStatus& status) { return static_cast<std::uint64_t>(status.id); }

// Returns a text such as "3 of 5 acked, 1 failed".
std::string canary_text(const TaskStatus& status) {
  if (status.canaries == 0) return {};
  std::string text = fmt::format("{} of {} acked", status.canary_acked, status.canaries);
  if (status.canary_failed > 0) text += fmt::format(", {} failed", status.canary_failed);
  return text;
}

// Returns what became of the moved messages: "1 acked, 1 died again, 1 pending".
std::string outcomes_text(const TaskStatus& status) {
  std::string text;
  const auto add = [&text](std::uint64_t count, std::string_view what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  const ReplayCounts& outcomes = status.outcomes;
  add(outcomes.acked, "acked");
  add(outcomes.died_again, "died again");
  add(outcomes.died_elsewhere, "died elsewhere");
  add(outcomes.dropped, "dropped");
  add(status.moved - std::min(status.moved, outcomes.total()), "pending");
  return text;
}

// Returns the tasks that were asked for, newest first.
Result<std::vector<TaskStatus>> find_tasks(Broker& broker, const ListTasksArguments& arguments) {
  auto tasks = broker.list_redrives();
  if (!tasks) return tasks;
  std::ranges::reverse(*tasks);
  std::erase_if(*tasks, [&](const TaskStatus& status) {
    const bool wanted = arguments.states.empty() ||
                        std::ranges::find(arguments.states, status.state) != arguments.states.end();
    if (!arguments.queue.empty() && status.queue != arguments.queue) return true;
    return !wanted || (arguments.after != 0 && number_of(status) >= arguments.after);
  });
  return tasks;
}

void print_table(CommandSession& session, const std::vector<TaskStatus>& tasks) {
  Table table({{"TASK", true},
               {"ACTION", false, 5},
               {"QUEUE"},
               {"TO", false, 3},
               {"STATE"},
               {"MOVED", true},
               {"PARKED", true, 5},
               {"LEFT", true, 1},
               {"OF", true},
               {"BECAME OF THEM", false, 1},
               {"WHY LEFT", false, 2},
               {"CANARY", false, 6},
               {"STARTED", false, 4},
               {"ACTOR", false, 7},
               {"ERROR", false, 1}});
  const Timestamp now = session.now();
  for (const TaskStatus& status : tasks) {
    table.add({std::to_string(number_of(status)), std::string(to_string(status.action)), status.queue,
               destination_text(status), state_text(status), std::to_string(status.moved),
               std::to_string(status.parked), std::to_string(status.left.total()),
               std::to_string(status.total), outcomes_text(status), to_string(status.left),
               canary_text(status), format_age(now - status.started_at) + " ago", status.actor,
               status.error});
  }
  session.print(table);
}

Result<void> list(CommandSession& session, const ListTasksArguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  auto tasks = find_tasks(**broker, arguments);
  if (!tasks) return tl::unexpected(tasks.error());
  const bool more = !arguments.all && tasks->size() > arguments.max;
  if (more) tasks->resize(arguments.max);
  if (session.json()) {
    for (const TaskStatus& status : *tasks) session.print(to_json(status));
  } else if (tasks->empty()) {
    const bool of_all = arguments.queue.empty() && arguments.states.empty() && arguments.after == 0;
    session.note(of_all ? "no redrive tasks" : "no such redrive tasks");
  } else {
    print_table(session, *tasks);
  }
  if (more) session.note_more(tasks->size(), std::to_string(number_of(tasks->back())));
  return {};
}

Result<void> cancel(CommandSession& session, const CancelTaskArguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  auto status = (*broker)->cancel_redrive(TaskId{arguments.task}, arguments.actor);
  if (!status) return tl::unexpected(status.error());
  if (session.json()) {
    session.print(to_json(*status));
  } else {
    const bool parks = status->action == RedriveAction::kPark;
    session.out() << fmt::format("task {} is {}; it {} {}\n", arguments.task, printable(state_text(*status)),
                                 parks ? "parked" : "moved",
                                 counted(parks ? status->parked : status->moved, "message"));
  }
  return {};
}

void add_states(CLI::App& verb, std::vector<TaskState>& target) {
  add_choice<TaskState>(
      verb, "--state", [&target](TaskState state) { target.push_back(state); },
      "Only in this state; may be repeated")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace

void add_task_verbs(CLI::App& group, CommandSession& session) {
  auto listed = std::make_shared<ListTasksArguments>();
  CLI::App& tasks = add_verb(group, session, "tasks",
                             "List redrive tasks, running ones and the last that ended, the newest first",
                             {"holdfast dlq tasks", "holdfast dlq tasks orders-dlq --state running",
                              "holdfast dlq tasks --all --json | jq -r .state"});
  tasks.add_option("queue", listed->queue, "Only those of this dead letter queue");
  add_states(tasks, listed->states);
  auto* max = tasks.add_option("-n,--max", listed->max, "At most this many [20]")->check(check_positive);
  tasks.add_flag("--all", listed->all, "All of them")->excludes(max);
  tasks
      .add_option("--after", listed->after,
                  "Continue after this place, which the note under an earlier page gives")
      ->check(check_positive);
  on_run(tasks, session, [listed](CommandSession& s) { return list(s, *listed); });

  auto arguments = std::make_shared<CancelTaskArguments>();
  CLI::App& verb = add_verb(group, session, "cancel", "End a redrive task; what it moved stays moved",
                            {"holdfast dlq cancel 7"});
  verb.add_option("task", arguments->task, "Its number, as 'dlq tasks' shows it")
      ->required()
      ->check(check_number);
  add_actor(verb, arguments->actor);
  on_run(verb, session, [arguments](CommandSession& s) { return cancel(s, *arguments); });
}

}  // namespace holdfast::command
