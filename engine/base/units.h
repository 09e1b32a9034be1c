// Sizes as people read them, for error messages. Durations: format_duration in time.h.
#pragma once

#include <cstdint>
#include <string>

namespace holdfast {

// Exact where it is a whole number of units, else to one digit: "512 bytes", "256 MiB", "1.5 GiB".
std::string format_bytes(std::uint64_t bytes);

}  // namespace holdfast
