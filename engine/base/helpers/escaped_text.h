// Shows text from others so that it cannot move a cursor, begin a line or break an encoding.
#pragma once

#include <string>
#include <string_view>

namespace holdfast {

// Returns what is shown instead of the character at `at`, and moves `at` past the character: "\\n", "\\x1b",
// "\\u{202e}", or "\\xff" for a byte that is not UTF-8. Returns an empty text if the character is shown as it
// is.
std::string escape_of(const char*& at, const char* end);

std::string escaped(std::string_view bytes);

}  // namespace holdfast
