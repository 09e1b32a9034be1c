// The verbs that move dead letters.
#pragma once

#include <string>

#include "tools/cli/verb.h"

namespace holdfast::command {

// Adds dlq redrive or redrive. `prefix` is what precedes the verb in its examples.
void add_redrive(CLI::App& parent, CommandSession& session, const std::string& prefix);
void add_park(CLI::App& group, CommandSession& session);
void add_task_verbs(CLI::App& group, CommandSession& session);  // dlq tasks, dlq cancel

}  // namespace holdfast::command
