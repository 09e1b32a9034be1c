// Watching a task until it ends.
#pragma once

#include "session.h"

namespace holdfast::command {

// Says how far it is on the error stream: a bar on a terminal, now and then a line elsewhere, nothing with
// --json.
Result<TaskStatus> follow_task(Session& session, Broker& broker, TaskId task);

// "[#####---------------]  25% 250/1000"
std::string progress_bar(const TaskStatus& status);

}  // namespace holdfast::command
