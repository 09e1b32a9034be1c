// Turns the engine's names of options into those of the command.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace holdfast::command {

// Returns what people type for an option of the engine, which may be a member of another one:
// "--direct-sends" for "direct_sends", "--ttl" for "time_to_live", "--alert depth.clear-at" for
// "alerts.depth.clear_at".
std::string option_as_typed(std::string_view name);

// Returns the message of an error with options as people type them: "--direct-sends" for "direct_sends" if
// `options` has it. A word without '_' or '.' stays as it is, unless the message begins with it and says what
// its value is. Quoted words stay too: they are names that somebody gave.
std::string with_option_words(std::string_view message, const std::set<std::string>& options);

}  // namespace holdfast::command
