// Tells shells what may come next on a command line.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/cli/verb.h"

namespace holdfast::command {

// As the first argument, this word says that the rest is a command line that somebody is typing. It is not a
// verb, since that line need not be one that parses.
inline constexpr std::string_view kCompleteWord = "__complete";

// Prints what the last of the words may become, on a line each: the word, a tab, and what it is. A line
// ":files" stands for the names of files. Queues are asked for at the server that the words or the
// environment name, for a second at most. Errors show nothing.
void complete(CLI::App& root, CommandSession& session, std::span<const std::string> words);

// Adds the verb that prints a shell's script.
void add_completion(CLI::App& root, CommandSession& session);

}  // namespace holdfast::command
