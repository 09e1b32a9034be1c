// This header declares all verbs of the command. Each function adds its verbs to the parser.
#pragma once

#include "tools/cli/verb.h"

namespace holdfast::command {

void add_queue_verbs(CLI::App& root, CommandSession& session);  // queue create, list, alter, pause, ...
void add_send(CLI::App& root, CommandSession& session);
void add_receive(CLI::App& root, CommandSession& session);
void add_peek(CLI::App& root, CommandSession& session);
void add_history(CLI::App& root, CommandSession& session);
void add_settle_verbs(CLI::App& root, CommandSession& session);  // ack, extend, start, release, reject
void add_dlq_verbs(CLI::App& root, CommandSession& session);     // dlq list, dlq redrive, redrive
void add_simulate(CLI::App& root, CommandSession& session);
void add_operations_verbs(
    CLI::App& root,
    CommandSession& session);  // status, stats, backup, restore, verify, salvage, compact

}  // namespace holdfast::command
