// Follows a redrive task until it ends, and describes one.
#pragma once

#include "tools/cli/command_session.h"

namespace holdfast::command {

// Shows the progress on the error stream: a bar on a terminal, a line now and then elsewhere, nothing with
// --json. Ctrl-C leaves the task to go on by itself: it says so, the exit status is 130, and the returned
// status is kRunning. kOutcomeUnknown if the broker does not tell how far the task is.
Result<TaskStatus> follow_task(CommandSession& session, Broker& broker, TaskId task);

// Draws a bar: "[#####---------------]  25% 250/1000".
std::string progress_bar(const TaskStatus& status);

// Returns a task's state: "done", "cancelled by ann". It may have any bytes that somebody gave for a name.
std::string state_text(const TaskStatus& status);

// Returns where a task moves dead letters to: the name of a queue, "origin" or "parking queue".
std::string destination_text(const TaskStatus& status);

}  // namespace holdfast::command
