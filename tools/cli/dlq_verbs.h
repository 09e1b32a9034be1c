// The verbs of the dlq group, which have a file each.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/verb.h"

namespace holdfast::command {

void add_dlq_list(CLI::App& group, CommandSession& session);
void add_dlq_find(CLI::App& group, CommandSession& session);
void add_dlq_show(CLI::App& group, CommandSession& session);
void add_dlq_group(CLI::App& parent, CommandSession& session);
void add_dlq_stats(CLI::App& group, CommandSession& session);
void add_dlq_triage(CLI::App& group, CommandSession& session);   // assign, note, status, abandon, discard
void add_dlq_archive(CLI::App& group, CommandSession& session);  // export, import
void add_dlq_watch(CLI::App& group, CommandSession& session);

// Prints the groups as a table, with a sample of each.
void print_groups(CommandSession& session, DeadLetterGrouping by, const DeadLetterGroups& groups);

// Says that the queue has no dead letters, or none of those that were asked for.
void note_no_dead_letters(CommandSession& session, Broker& broker, const std::string& queue);

// Warns if `queue` has no dead letters and no queue dead-letters to it or parks in it. Says where its own
// dead letters go.
void warn_unless_dead_letter_queue(CommandSession& session, Broker& broker, const std::string& queue);
// Warns if `queue` is one whose messages die elsewhere, so that its consumers would receive dead letters that
// are put into it. Does nothing if the name is empty.
void warn_of_consumers(CommandSession& session, Broker& broker, const std::string& queue);

// Returns the names of the queues that have dead letters or would get some.
std::vector<std::string> dead_letter_queues(const std::vector<QueueInfo>& queues);

}  // namespace holdfast::command
