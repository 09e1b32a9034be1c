#include "engine/base/helpers/escaped_text.h"

#include <array>
#include <boost/locale/utf.hpp>
#include <charconv>
#include <cstdint>

namespace holdfast {
namespace {

namespace utf = boost::locale::utf;

bool is_valid(utf::code_point point) { return point != utf::illegal && point != utf::incomplete; }

bool is_control(utf::code_point point) {
  const bool c0_or_c1 = point < 0x20 || (point >= 0x7f && point < 0xa0);
  const bool separator = point == 0x2028 || point == 0x2029;
  const bool direction = point == 0x61c || (point >= 0x200e && point <= 0x200f) ||
                         (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
  return c0_or_c1 || separator || direction;
}

std::string hex(std::uint32_t number) {
  std::array<char, 8> digits{};
  return {digits.data(), std::to_chars(digits.begin(), digits.end(), number, 16).ptr};
}

std::string escaped_byte(std::uint32_t byte) { return (byte < 0x10 ? "\\x0" : "\\x") + hex(byte); }

std::string escaped_point(utf::code_point point) {
  switch (point) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return point < 0x80 ? escaped_byte(point) : "\\u{" + hex(point) + '}';
  }
}

}  // namespace

std::string escape_of(const char*& at, const char* end) {
  const char* begin = at;
  const auto point = utf::utf_traits<char>::decode(at, end);
  if (!is_valid(point)) {
    at = begin + 1;
    return escaped_byte(static_cast<unsigned char>(*begin));
  }
  return is_control(point) ? escaped_point(point) : std::string();
}

std::string escaped(std::string_view bytes) {
  std::string text;
  for (const char *at = bytes.begin(), *end = bytes.end(); at != end;) {
    const char* begin = at;
    const std::string escape = escape_of(at, end);
    text += escape.empty() ? std::string_view(begin, at) : std::string_view(escape);
  }
  return text;
}

}  // namespace holdfast
