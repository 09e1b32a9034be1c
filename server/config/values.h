// Converts values of options from text and back.
#pragma once

#include <cstdint>
#include <string>

#include "holdfast/error.h"

namespace holdfast::server {

// Makes the error kInvalidArgument: "'TEXT' WHAT".
tl::unexpected<Error> wrong_value(const std::string& text, const std::string& what);

Result<std::uint64_t> parse_number(const std::string& text, std::uint64_t min, std::uint64_t max);

// Parses a size in bytes: a number, or a number with a unit in any case: K, KB, KiB (1024), M, G, T.
Result<std::uint64_t> parse_size(const std::string& text, std::uint64_t min);

// Writes a size as parse_size() accepts it, in the largest unit that is exact: "256MiB".
std::string size_text(std::uint64_t bytes);

}  // namespace holdfast::server
