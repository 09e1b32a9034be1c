// Watching a task until it ends.
#pragma once

#include "tools/cli/command_session.h"

namespace holdfast::command {

// Says how far it is on the error stream: a bar on a terminal, now and then a line elsewhere, nothing with
// --json. Ctrl-C leaves it to go on by itself, which is said, with exit status 130: its status is `running`
// then.
Result<TaskStatus> follow_task(CommandSession& session, Broker& broker, TaskId task);

// "[#####---------------]  25% 250/1000"
std::string progress_bar(const TaskStatus& status);

}  // namespace holdfast::command
