#include "server/config/values.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace holdfast::server {
namespace {

constexpr std::string_view kUnits = "KMGT";
constexpr unsigned kUnitBits = 10;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 62;

// Returns the number of bits by which a unit shifts; more than 64 for an unknown unit.
unsigned shift_of(std::string_view unit) {
  constexpr unsigned kNone = 1000;
  if (unit.empty() || unit == "B" || unit == "b") return 0;
  const auto prefix = kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(unit.front()))));
  unit.remove_prefix(1);
  const bool known = unit.empty() || unit == "B" || unit == "b" || unit == "i" || unit == "iB" ||
                     unit == "ib" || unit == "IB";
  return prefix == std::string_view::npos || !known ? kNone : static_cast<unsigned>(prefix + 1) * kUnitBits;
}

}  // namespace

tl::unexpected<Error> wrong_value(const std::string& text, const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, "'" + text + "' " + what);
}

Result<std::uint64_t> parse_number(const std::string& text, std::uint64_t min, std::uint64_t max) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::invalid_argument || end != text.data() + text.size())
    return wrong_value(text, "is not a whole number of 0 or more");
  // Digits that are too many for 64 bits are a number too, and one that is not in the range.
  if (error == std::errc{} && number >= min && number <= max) return number;
  return wrong_value(text, "is not in " + std::to_string(min) + ".." + std::to_string(max));
}

Result<std::uint64_t> parse_size(const std::string& text, std::uint64_t min) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const unsigned shift = shift_of({end, static_cast<std::size_t>(text.data() + text.size() - end)});
  if (error != std::errc{} || shift >= 64) return wrong_value(text, "is not a size, such as 512KiB or 1GiB");
  if (number > kMaxBytes >> shift) return wrong_value(text, "is too large");
  if (number << shift < min) return wrong_value(text, "is less than " + std::to_string(min));
  return number << shift;
}

std::string size_text(std::uint64_t bytes) {
  std::size_t unit = 0;
  while (bytes > 0 && bytes % 1024 == 0 && unit < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + (unit == 0 ? std::string() : std::string(1, kUnits[unit - 1]) + "iB");
}

}  // namespace holdfast::server
