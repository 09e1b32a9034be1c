// Formats sizes and counts for people to read in messages. holdfast/time.h formats durations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast {

// Formats a size exactly if it is a whole number of units, or else to one digit after the point: "512 bytes",
// "256 MiB", "1.5 GiB".
std::string format_bytes(std::uint64_t bytes);

// Formats a count of something: "1 write", "2 writes".
std::string format_count(std::uint64_t count, std::string_view what);

}  // namespace holdfast
