// Prepares texts for terminals: bytes of messages must not reach one as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::command {

bool is_utf8(std::string_view bytes);

std::string base64(std::string_view bytes);

// Returns printable UTF-8: control characters become \n, \t, \x1b or \u{85}, and bytes that are not UTF-8
// become \xff. A longer text is cut to `max` columns of a terminal, the last of which is an ellipsis.
std::string printable(std::string_view bytes, std::size_t max = std::numeric_limits<std::size_t>::max());

// Returns printable text as printable() does, but cut at its beginning, where the ellipsis is then.
std::string printable_end(std::string_view bytes, std::size_t max);

// Replaces tabs by blanks up to the next multiple of 8 columns from the beginning of the line.
std::string with_tabs_expanded(std::string_view bytes);

// Returns how many columns of a terminal the printable form of the text takes.
std::size_t display_width(std::string_view bytes);

// Returns the printable form in lines of at most `columns` columns each. There is at least one line.
std::vector<std::string> wrapped(std::string_view bytes, std::size_t columns);

// Returns the printable form in lines as wrapped() does, but breaks a line at a blank if it has one.
std::vector<std::string> wrapped_at_blanks(std::string_view bytes, std::size_t columns);

// Formats a count: "1 message", "2 messages".
std::string counted(std::uint64_t count, std::string_view what);

// Returns the names among `known` that `typed` may have meant, the most likely ones first.
std::vector<std::string> nearest(std::string_view typed, const std::vector<std::string>& known,
                                 std::size_t most);
// Returns the most likely name; an empty text if none is near.
std::string nearest(std::string_view typed, const std::vector<std::string>& known);

}  // namespace holdfast::command
