#include "engine/base/helpers/units.h"

#include <array>
#include <string_view>

namespace holdfast {

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 4> kUnits = {"TiB", "GiB", "MiB", "KiB"};
  std::uint64_t unit = std::uint64_t{1} << 40;
  for (const std::string_view name : kUnits) {
    if (bytes >= unit) {
      const std::uint64_t tenths = bytes % unit * 10 / unit;
      const std::string fraction = tenths == 0 ? "" : "." + std::to_string(tenths);
      return std::to_string(bytes / unit) + fraction + " " + std::string(name);
    }
    unit >>= 10;
  }
  return std::to_string(bytes) + " bytes";
}

std::string format_count(std::uint64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

}  // namespace holdfast
