// Sizes and counts as people read them, for messages. Durations: see time.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast {

// Exact where it is a whole number of units, else to one digit: "512 bytes", "256 MiB", "1.5 GiB".
std::string format_bytes(std::uint64_t bytes);

// "1 write", "2 writes"
std::string format_count(std::uint64_t count, std::string_view what);

}  // namespace holdfast
