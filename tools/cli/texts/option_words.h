// The engine's names of options, as the command has them.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace holdfast::command {

// What is typed for an option of the engine, which may be a member of another one: "--direct-sends" of
// "direct_sends", "--ttl" of "time_to_live", "--alert depth.clear-at" of "alerts.depth.clear_at".
std::string option_as_typed(std::string_view name);

// The message of an error with options as they are typed: "--direct-sends" for "direct_sends" where `options`
// has that. Words of one part are left alone, unless the message begins with one and says what it is. What is
// quoted is a name that somebody gave.
std::string with_option_words(std::string_view message, const std::set<std::string>& options);

}  // namespace holdfast::command
