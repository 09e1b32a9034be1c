#include "engine/codec/encoding/exact_json.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

namespace holdfast {
namespace {

// The value of a number as it is written: digits, without zeros at either end, times ten to the exponent.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;

  friend bool operator==(const Decimal&, const Decimal&) = default;
};

Decimal decimal_of(std::string_view text) {
  Decimal value;
  value.negative = text.starts_with('-');
  const std::size_t end = std::min(text.find_first_of("eE"), text.size());
  if (end < text.size()) {
    const std::size_t first = end + (text.substr(end + 1).starts_with('+') ? 2 : 1);
    std::from_chars(text.data() + first, text.data() + text.size(), value.exponent);
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

// Builds the value that a parser tells of.
class Builder {
 public:
  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(std::int64_t value) { return put(value); }
  bool number_unsigned(std::uint64_t value) { return put(value); }
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
  bool string(std::string& value) { return put(std::move(value)); }
  static bool binary(Json::binary_t& /*value*/) { return false; }  // JSON has none
  bool start_object(std::size_t /*size*/) { return open(Json::object()); }
  bool key(std::string& value) {
    key_ = std::move(value);
    return true;
  }
  bool end_object() { return close(); }
  bool start_array(std::size_t /*size*/) { return open(Json::array()); }
  bool end_array() { return close(); }
  static bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                          const Json::exception& /*error*/) {
    return false;
  }

  Json take() { return std::move(root_); }

 private:
  // Where the next value goes.
  Json& place() {
    if (open_.empty()) return root_;
    Json& parent = *open_.back();
    return parent.is_array() ? parent.emplace_back() : parent[key_];
  }
  bool put(Json value) {
    place() = std::move(value);
    return true;
  }
  bool open(Json empty) {
    if (std::cmp_greater_equal(open_.size(), limits::kJsonDepth)) return false;
    Json& value = place();
    value = std::move(empty);
    open_.push_back(&value);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Json*> open_;  // each within the one before, to which nothing is added meanwhile
  std::string key_;
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

Json parse_exact_json(std::string_view text) {
  Builder builder;
  if (has_zero_byte(text)) return Json::value_t::discarded;
  return Json::sax_parse(text, &builder) ? builder.take() : Json(Json::value_t::discarded);
}

std::string dump_exact_json(const Json& value) {
  std::string text;
  write(value, text);
  return text;
}

}  // namespace holdfast
