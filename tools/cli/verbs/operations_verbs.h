// This header declares the verbs for running an engine.
#pragma once

#include "tools/cli/verbs.h"

namespace holdfast::command {

void add_status(CLI::App& root, CommandSession& session);
void add_stats(CLI::App& root, CommandSession& session);
void add_drain(CLI::App& root, CommandSession& session);

}  // namespace holdfast::command
