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
// Cut to `max` characters, the last of them an ellipsis, if it is longer.
std::string printable(std::string_view bytes, std::size_t max = std::numeric_limits<std::size_t>::max());

// "1 message", "2 messages"
std::string counted(std::uint64_t count, std::string_view what);

// The name among `known` that `typed` most likely meant; empty if none is near.
std::string_view nearest(std::string_view typed, const std::vector<std::string>& known);

}  // namespace holdfast::command
