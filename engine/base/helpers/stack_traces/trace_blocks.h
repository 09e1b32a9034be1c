// Shortens stack traces that continue with the errors that caused the one on top: "Caused by: ...", each with
// its frames.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast {

// Returns the line without the blanks and tabs that it begins with.
std::string_view without_indent(std::string_view line);

// Returns whether a line of the trace begins with "Caused by:", "Suppressed:" (Java) or "[cause]:" (Node.js).
bool has_nested_errors(std::string_view stack_trace);

// Returns the first lines of the error on top and of each nested error, `lines` in all. The error on top and
// the root cause, which is the last "Caused by:", have most of the lines. An extra line stands where lines
// were left out. If the result would have more than `bytes`, it has fewer lines, and at last shorter ones.
std::string first_lines_of_blocks(std::string_view stack_trace, std::size_t lines, std::size_t bytes);

}  // namespace holdfast
