// What may come next on a command line, for shells.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/cli/verb.h"

namespace holdfast::command {

// As the first argument: the rest is a command line that somebody is typing. No verb, since that line need
// not be one that parses.
inline constexpr std::string_view kCompleteWord = "__complete";

// Prints what the last of the words may become, a line each: the word, a tab, and what it is. A line ":files"
// stands for the names of files. Queues are asked for at the server that the words or the environment name,
// for a second at most; what goes wrong shows nothing.
void complete(CLI::App& root, CommandSession& session, std::span<const std::string> words);

// The verb that prints a shell's script.
void add_completion(CLI::App& root, CommandSession& session);

}  // namespace holdfast::command
