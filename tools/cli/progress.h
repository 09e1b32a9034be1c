// Follows a task until it ends.
#pragma once

#include "tools/cli/command_session.h"

namespace holdfast::command {

// Shows the progress on the error stream: a bar on a terminal, a line now and then elsewhere, nothing with
// --json. Ctrl-C leaves the task to go on by itself: it says so, the exit status is 130, and the returned
// status is kRunning.
Result<TaskStatus> follow_task(CommandSession& session, Broker& broker, TaskId task);

// Draws a bar: "[#####---------------]  25% 250/1000".
std::string progress_bar(const TaskStatus& status);

}  // namespace holdfast::command
