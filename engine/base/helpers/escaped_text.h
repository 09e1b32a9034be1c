// Text of others, shown where it must not move a cursor, begin a line or break an encoding.
#pragma once

#include <string>
#include <string_view>

namespace holdfast {

// What is shown instead of the character at `at`, which moves past it: "\\n", "\\x1b", "\\u{202e}", and
// "\\xff" of a byte that is no UTF-8. Empty if the character is shown as it is.
std::string escape_of(const char*& at, const char* end);

std::string escaped(std::string_view bytes);

}  // namespace holdfast
