// Text for terminals: bytes from messages must not reach one as they are.
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

// Printable UTF-8: control characters become \n, \t, \x1b or \u{85}, bytes that are not UTF-8 \xff.
// Cut to `max` columns of a terminal, the last of them an ellipsis, if it takes more.
std::string printable(std::string_view bytes, std::size_t max = std::numeric_limits<std::size_t>::max());

// The same, but cut at its beginning, where the ellipsis is then.
std::string printable_end(std::string_view bytes, std::size_t max);

// With blanks for tabs, up to the next multiple of 8 columns from the beginning of each line.
std::string with_tabs_expanded(std::string_view bytes);

// How many columns of a terminal the printable text takes.
std::size_t display_width(std::string_view bytes);

// The printable text in lines of at most so many columns each; at least one line.
std::vector<std::string> wrapped(std::string_view bytes, std::size_t columns);

// The same, but broken at blanks where a line has one.
std::vector<std::string> wrapped_at_blanks(std::string_view bytes, std::size_t columns);

// "1 message", "2 messages"
std::string counted(std::uint64_t count, std::string_view what);

// The names among `known` that `typed` may have meant, the most likely ones first.
std::vector<std::string> nearest(std::string_view typed, const std::vector<std::string>& known,
                                 std::size_t most);
// The most likely one; empty if none is near.
std::string nearest(std::string_view typed, const std::vector<std::string>& known);

}  // namespace holdfast::command
