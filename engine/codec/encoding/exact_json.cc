#include "engine/codec/encoding/exact_json.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "engine/codec/encoding/json_builder.h"

namespace holdfast {
namespace {

// A Decimal is a written number's value: digits without zeros at either end, times ten to the exponent.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;

  friend bool operator==(const Decimal&, const Decimal&) = default;
};

// No double has an exponent this far from 0. The digits of a text can be added to it.
constexpr std::int64_t kFarExponent = std::int64_t{1} << 62;

Decimal decimal_of(std::string_view text) {
  Decimal value;
  value.negative = text.starts_with('-');
  const std::size_t end = std::min(text.find_first_of("eE"), text.size());
  if (end < text.size()) {
    const std::size_t first = end + (text.substr(end + 1).starts_with('+') ? 2 : 1);
    std::from_chars(text.data() + first, text.data() + text.size(), value.exponent);
    value.exponent = std::clamp(value.exponent, -kFarExponent, kFarExponent);
  }
  bool fraction = false;
  for (const char c : text.substr(0, end)) {
    if (c == '.') fraction = true;
    if (c < '0' || c > '9') continue;
    value.digits += c;
    value.exponent -= fraction ? 1 : 0;
  }
  value.digits.erase(0, value.digits.find_first_not_of('0'));
  while (value.digits.ends_with('0')) {
    value.digits.pop_back();
    ++value.exponent;
  }
  if (value.digits.empty()) value.exponent = 0;
  return value;
}

// The bounds of users' documents. An object may have as many members as there may be values.
constexpr JsonBounds kBounds{.members = limits::kJsonValues};

class ExactJsonBuilder : public JsonBuilder {
 public:
  using JsonBuilder::JsonBuilder;

  bool number_float(double value, const std::string& token) {
    std::string text = token;
    // The parser writes the point as the process's locale does.
    std::ranges::replace_if(
        text, [](char c) { return std::string_view("0123456789+-eE").find(c) == std::string_view::npos; },
        '.');
    const Json number = value;
    if (decimal_of(number.dump()) == decimal_of(text)) return put(number);
    return put(Json::binary({text.begin(), text.end()}));
  }
};

void write(const Json& value, std::string& to) {
  if (value.is_binary()) {
    const auto& number = value.get_binary();
    to.append(number.begin(), number.end());
  } else if (!value.is_structured()) {
    to += value.dump();
  } else {
    const bool object = value.is_object();
    to += object ? '{' : '[';
    const char* separator = "";
    for (auto part = value.begin(); part != value.end(); ++part) {
      to += std::exchange(separator, ",");
      if (object) to.append(Json(part.key()).dump()).push_back(':');
      write(*part, to);
    }
    to += object ? '}' : ']';
  }
}

}  // namespace

Json parse_exact_json(std::string_view text) { return build_json<ExactJsonBuilder>(text, kBounds); }

std::string exact_json_fault(std::string_view text) { return json_fault(text, kBounds); }

std::string dump_exact_json(const Json& value) {
  std::string text;
  write(value, text);
  return text;
}

}  // namespace holdfast
