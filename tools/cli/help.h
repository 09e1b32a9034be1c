// Help as a verb, and help pages that belong to no verb.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/verb.h"

namespace holdfast::command {

// Adds the verb. `root` must have all verbs when the verb runs.
void add_help(CLI::App& root, CommandSession& session);

// Returns the verb that `words` name; null if they name none.
CLI::App* find_verb(CLI::App& root, const std::vector<std::string>& words);

// Returns the whole command as people type it: "holdfast queue list".
std::string path_of(const CLI::App& app);

// Returns the verbs that help shows.
std::vector<CLI::App*> visible_verbs(CLI::App& app);

}  // namespace holdfast::command
