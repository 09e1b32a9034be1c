// Stack traces that go on with the errors that caused the one on top: "Caused by: ...", each with its frames.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast {

// Whether a line of it begins with "Caused by:", "Suppressed:" (Java) or "[cause]:" (Node.js).
bool has_nested_errors(std::string_view stack_trace);

// The first lines of the error on top and of each nested one, `lines` in all. The one on top and the root
// cause, which is the last "Caused by:", have most of them; a line stands where some were left out and is not
// counted. If that has more than `bytes` it has fewer lines, and at last shorter ones.
std::string first_lines_of_blocks(std::string_view stack_trace, std::size_t lines, std::size_t bytes);

}  // namespace holdfast
