#include "engine/base/time_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <ctime>
#include <iomanip>
#include <sstream>

namespace holdfast {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t micros;
};

// in descending order
constexpr std::array kUnits = {
    Unit{"d", 86'400'000'000}, Unit{"h", 3'600'000'000}, Unit{"m", 60'000'000},
    Unit{"s", 1'000'000},      Unit{"ms", 1'000},        Unit{"us", 1},
};

tl::unexpected<Error> bad_duration(std::string_view text) {
  return fail(ErrorCode::kInvalidArgument,
              "'" + std::string(text) + "' is not a duration such as 500ms, 30s, 5m, 2h or 1d");
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  if (text == "0") return Duration{0};
  if (text.empty()) return bad_duration(text);
  std::int64_t total = 0;
  for (std::string_view rest = text; !rest.empty();) {
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
    if (error != std::errc{} || count < 0) return bad_duration(text);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));

    const auto name = rest.substr(0, std::min(rest.find_first_of("0123456789"), rest.size()));
    const auto* unit = std::ranges::find(kUnits, name, &Unit::name);
    std::int64_t micros = 0;
    if (unit == kUnits.end() || __builtin_mul_overflow(count, unit->micros, &micros) ||
        __builtin_add_overflow(total, micros, &total)) {
      return bad_duration(text);
    }
    rest.remove_prefix(name.size());
  }
  return Duration{total};
}

std::string format_time(Timestamp time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const std::time_t whole{seconds.time_since_epoch().count()};
  std::tm parts{};
  gmtime_r(&whole, &parts);
  std::ostringstream text;
  text << std::put_time(&parts, "%Y-%m-%dT%H:%M:%S") << '.' << std::setw(6) << std::setfill('0')
       << (time - seconds).count() << 'Z';
  return text.str();
}

Result<Timestamp> parse_time(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::tm parts{};
  in >> std::get_time(&parts, "%Y-%m-%dT%H:%M:%S");
  std::int64_t micros = 0;
  if (in && in.peek() == '.') {
    in.get();
    for (std::int64_t unit = 100'000; unit > 0 && in.peek() >= '0' && in.peek() <= '9'; unit /= 10) {
      micros += (in.get() - '0') * unit;
    }
  }
  if (!in || in.get() != 'Z' || in.peek() != std::istringstream::traits_type::eof()) {
    return fail(ErrorCode::kInvalidArgument,
                "'" + std::string(text) + "' is not a time such as 2026-03-01T09:30:00Z");
  }
  // The time points of system_clock are not used: their nanoseconds end in 2262.
  return Timestamp(std::chrono::seconds(timegm(&parts))) + Duration{micros};
}

}  // namespace holdfast
