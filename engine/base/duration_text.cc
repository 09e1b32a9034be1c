// Formats durations for people.
#include "holdfast/time.h"

#include <cstdint>
#include <string>

namespace holdfast {

std::string format_rounded(Duration duration) {
  if (duration < Duration{0}) return "-" + format_rounded(-duration);
  const auto whole = [duration](Duration unit) { return (duration + unit / 2) / unit; };
  const auto two = [](std::int64_t count, std::int64_t per, const char* unit, const char* smaller) {
    std::string text = std::to_string(count / per) + unit;
    if (count % per > 0) text += " " + std::to_string(count % per) + smaller;
    return text;
  };
  using std::chrono::milliseconds;
  if (duration < milliseconds(1)) return std::to_string(duration.count()) + " us";
  if (const auto millis = whole(milliseconds(1)); millis < 1000) return std::to_string(millis) + " ms";
  if (const auto tenths = whole(milliseconds(100)); tenths < 600)
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
  if (const auto seconds = whole(std::chrono::seconds(1)); seconds < 3600)
    return two(seconds, 60, " min", " s");
  if (const auto minutes = whole(std::chrono::minutes(1)); minutes < std::int64_t{24} * 60)
    return two(minutes, 60, " h", " min");
  return two(whole(std::chrono::hours(1)), 24, " d", " h");
}

}  // namespace holdfast
