// The verbs of the dlq group, one file each.
#pragma once

#include <string>
#include <vector>

#include "verb.h"

namespace holdfast::command {

void add_dlq_list(CLI::App& group, Session& session);
void add_dlq_show(CLI::App& group, Session& session);
void add_dlq_group(CLI::App& group, Session& session);
void add_dlq_stats(CLI::App& group, Session& session);
void add_dlq_triage(CLI::App& group, Session& session);   // assign, note, status, abandon, discard
void add_dlq_archive(CLI::App& group, Session& session);  // export, import
void add_dlq_watch(CLI::App& group, Session& session);
void add_redrive(CLI::App& parent, Session& session, const std::string& prefix);

// As a table, with a sample of each.
void print_groups(Session& session, DeadLetterGrouping by, const DeadLetterGroups& groups);

// What `dlq watch` shows: the heads always, of the tables (titles first) the rows that fit, the first one's
// before the next one's; no line longer than `columns` characters.
std::vector<std::string> watch_screen(const std::vector<std::string>& heads,
                                      const std::vector<std::vector<std::string>>& tables, std::size_t rows,
                                      std::size_t columns);

// Says where to look instead when `queue` is not where its dead letters go.
void note_no_dead_letters(Session& session, Broker& broker, const std::string& queue);

}  // namespace holdfast::command
