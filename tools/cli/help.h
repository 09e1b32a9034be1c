// Help as a verb, and the pages that belong to no verb.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/verb.h"

namespace holdfast::command {

// `root` must have all verbs when the verb runs.
void add_help(CLI::App& root, CommandSession& session);

// The verb that `words` lead to; null if they lead to none.
CLI::App* find_verb(CLI::App& root, const std::vector<std::string>& words);

// The whole command as it was typed: "holdfast queue list".
std::string path_of(const CLI::App& app);

// Verbs that help shows.
std::vector<CLI::App*> visible_verbs(CLI::App& app);

}  // namespace holdfast::command
