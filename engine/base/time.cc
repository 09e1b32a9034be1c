// The system's clock has the time of day, which can be set, and a steady time, which cannot. A duration is
// written exactly, largest unit first, in the form that parse_duration() reads.
#include "holdfast/time.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace holdfast {
namespace {

class SystemClock final : public Clock {
 public:
  Timestamp now() const override {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  }
  Duration steady() const override {
    return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
  }
};

}  // namespace

std::string format_duration(Duration duration) {
  static constexpr std::array<std::pair<std::string_view, std::int64_t>, 6> kUnits = {{
      {"d", 86'400'000'000},
      {"h", 3'600'000'000},
      {"m", 60'000'000},
      {"s", 1'000'000},
      {"ms", 1'000},
      {"us", 1},
  }};
  std::string text = duration.count() < 0 ? "-" : "";
  auto left = static_cast<std::uint64_t>(duration.count());
  if (duration.count() < 0) left = 0 - left;
  for (const auto& [name, micros] : kUnits) {
    const std::uint64_t count = left / static_cast<std::uint64_t>(micros);
    left %= static_cast<std::uint64_t>(micros);
    if (count > 0) text.append(std::to_string(count)).append(name);
  }
  return text.empty() ? "0s" : text;
}

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace holdfast
