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

// The units come in descending order.
constexpr std::array kUnits = {
    Unit{"d", 86'400'000'000}, Unit{"h", 3'600'000'000}, Unit{"m", 60'000'000},
    Unit{"s", 1'000'000},      Unit{"ms", 1'000},        Unit{"us", 1},
};

tl::unexpected<Error> bad_duration(std::string_view text) {
  return fail(ErrorCode::kInvalidArgument,
              "'" + std::string(text) + "' is not a duration such as 500ms, 30s, 5m, 2h or 1d");
}

// A TimeText holds the text of a time of RFC 3339, from which one part after the other is read.
class TimeText {
 public:
  explicit TimeText(std::string_view text) : rest_(text) {}

  // Reads a number of `digits` digits that is at most `most`.
  int number(std::size_t digits, int most) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) value = 10 * value + digit();
    is_good_ = is_good_ && value <= most;
    return value;
  }

  // Reads a character, which must be one of `either`.
  char sign(std::string_view either) {
    const char next = rest_.empty() ? '\0' : rest_.front();
    is_good_ = is_good_ && next != '\0' && either.find(next) != std::string_view::npos;
    rest_.remove_prefix(std::min<std::size_t>(1, rest_.size()));
    return next;
  }

  // Reads the fraction of a second, if there is one. Digits behind the microseconds do not count.
  Duration fraction() {
    if (rest_.empty() || rest_.front() != '.') return {};
    sign(".");
    std::int64_t micros = digit() * std::int64_t{100'000};
    for (std::int64_t unit = 10'000; !rest_.empty() && is_digit(rest_.front()); unit /= 10)
      micros += digit() * unit;
    return Duration{micros};
  }

  // Reads how far the clock that shows the time is ahead of UTC.
  std::chrono::minutes offset() {
    const char direction = sign("Zz+-");
    if (direction != '+' && direction != '-') return {};
    const std::chrono::hours hours(number(2, 23));
    sign(":");
    const std::chrono::minutes ahead = hours + std::chrono::minutes(number(2, 59));
    return direction == '+' ? ahead : -ahead;
  }

  // Returns whether everything was read and fitted.
  bool is_read() const { return is_good_ && rest_.empty(); }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  int digit() {
    const char next = sign("0123456789");
    return is_digit(next) ? next - '0' : 0;
  }

  std::string_view rest_;
  bool is_good_ = true;
};

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
  constexpr std::int64_t kSecond = 1'000'000;
  const std::int64_t micros = time.time_since_epoch().count();
  const std::int64_t rest = micros % kSecond;
  // The second that the earliest time lies in began before that time, so it has no number of microseconds.
  const std::time_t whole{micros / kSecond - (rest < 0 ? 1 : 0)};
  std::tm parts{};
  gmtime_r(&whole, &parts);
  std::ostringstream text;
  text << std::put_time(&parts, "%Y-%m-%dT%H:%M:%S") << '.' << std::setw(6) << std::setfill('0')
       << (rest < 0 ? rest + kSecond : rest) << 'Z';
  return text.str();
}

Result<Timestamp> parse_time(std::string_view text) {
  TimeText rest(text);
  const std::chrono::year year(rest.number(4, 9999));
  const std::chrono::month month(static_cast<unsigned>((rest.sign("-"), rest.number(2, 12))));
  const std::chrono::day day(static_cast<unsigned>((rest.sign("-"), rest.number(2, 31))));
  const std::chrono::hours hours((rest.sign("Tt"), rest.number(2, 23)));
  const std::chrono::minutes minutes((rest.sign(":"), rest.number(2, 59)));
  const std::chrono::seconds seconds((rest.sign(":"), rest.number(2, 60)));  // 60 is a leap second
  const Duration fraction = rest.fraction();
  const std::chrono::minutes offset = rest.offset();
  const std::chrono::year_month_day date(year, month, day);
  if (!rest.is_read() || !date.ok()) {
    return fail(ErrorCode::kInvalidArgument,
                "'" + std::string(text) + "' is not a time such as 2026-03-01T09:30:00Z");
  }
  // The time points of system_clock are not used: their nanoseconds end in 2262.
  const std::chrono::hours days(24 * std::chrono::sys_days(date).time_since_epoch().count());
  return Timestamp(Duration(days + hours + minutes + seconds - offset) + fraction);
}

}  // namespace holdfast
