// The engine's names of options, as the command has them.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace holdfast::command {

// The message of an error, with "--direct-sends" for "direct_sends" where `options` has that: for each word
// of several parts that is not quoted, and so is a name that somebody gave.
std::string with_option_words(std::string_view message, const std::set<std::string>& options);

}  // namespace holdfast::command
