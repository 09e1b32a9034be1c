// The verbs under `holdfast queue`.
#pragma once

#include "tools/cli/verb.h"

namespace holdfast::command {

void add_queue_create(CLI::App& group, Session& session);
void add_queue_alter(CLI::App& group, Session& session);
void add_queue_list(CLI::App& group, Session& session);
void add_queue_describe(CLI::App& group, Session& session);
void add_queue_delete(CLI::App& group, Session& session);
void add_queue_pause(CLI::App& group, Session& session);
void add_queue_resume(CLI::App& group, Session& session);
void add_queue_purge(CLI::App& group, Session& session);

}  // namespace holdfast::command
