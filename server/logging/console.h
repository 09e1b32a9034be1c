// Writes what the programs say to the people who started them.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace holdfast::server {

// Returns the text with control characters as \x1b. A text that was typed or is in a file must not reach a
// terminal as it is.
std::string escaped(std::string_view text);

// Flushes `out` and returns `status`. If `status` is 0 and something could not be written, it returns another
// status and writes a line to `err`.
int finish(int status, std::string_view program, std::ostream& out, std::ostream& err);

}  // namespace holdfast::server
