// What the programs say to who started them.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace holdfast::server {

// Control characters as \x1b: what was typed or stands in a file must not reach a terminal as it is.
std::string escaped(std::string_view text);

// `status`, of what wrote to `out`; if that is 0 and something could not be written, another, with a line on
// `err`.
int finish(int status, std::string_view program, std::ostream& out, std::ostream& err);

}  // namespace holdfast::server
