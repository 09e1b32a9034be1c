#include "tools/cli/texts/duration.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <string>

namespace holdfast::command {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t micros;
};

// The units are in descending order.
constexpr std::array kUnits = {
    Unit{"d", 86'400'000'000},
    Unit{"h", 3'600'000'000},
    Unit{"m", 60'000'000},
    Unit{"s", 1'000'000},
};

}  // namespace

std::string format_age(Duration age) {
  const auto* unit = std::ranges::find_if(kUnits, [age](const Unit& u) { return age.count() >= u.micros; });
  if (unit == kUnits.end()) return "0s";
  return fmt::format("{}{}", age.count() / unit->micros, unit->name);
}

std::string format_clock_time(Timestamp time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                     fmt::gmtime(std::time_t{seconds.time_since_epoch().count()}));
}

Result<Timestamp> parse_time(std::string_view text) {
  std::string iso(text);
  // format_clock_time() writes a blank for the T of ISO 8601, and UTC for its Z.
  if (constexpr std::string_view kZone = " UTC"; iso.ends_with(kZone)) {
    iso.replace(iso.size() - kZone.size(), kZone.size(), "Z");
    if (constexpr std::size_t kDate = std::string_view("2026-03-01").size();
        iso.size() > kDate && iso[kDate] == ' ')
      iso[kDate] = 'T';
  }
  return holdfast::parse_time(iso);
}

}  // namespace holdfast::command
