// This header declares the verbs under `holdfast queue`.
#pragma once

#include "tools/cli/verb.h"

namespace holdfast::command {

void add_queue_create(CLI::App& group, CommandSession& session);
void add_queue_alter(CLI::App& group, CommandSession& session);
void add_queue_list(CLI::App& group, CommandSession& session);
void add_queue_describe(CLI::App& group, CommandSession& session);
void add_queue_delete(CLI::App& group, CommandSession& session);
void add_queue_pause(CLI::App& group, CommandSession& session);
void add_queue_resume(CLI::App& group, CommandSession& session);
void add_queue_purge(CLI::App& group, CommandSession& session);

}  // namespace holdfast::command
