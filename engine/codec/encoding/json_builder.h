// How a text of JSON becomes a value, in time in proportion to its length.
//
// The library's own way is not: an object of it is a vector, in which each new member is looked for among all
// others, and which, when it grows, copies its members with all that they contain. So the text is measured
// first, each object gets its room at once, and those of many members get an index while they are built.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/codec/encoding/json.h"

namespace holdfast {

// The number of members of each object, in the order in which they begin. Those of what is no JSON mean
// nothing.
struct JsonShape {
  std::vector<std::uint32_t> members;
};

// None if it is past the bounds.
std::optional<JsonShape> measure_json(std::string_view text, const JsonBounds& bounds);

// Builds the value that a parser tells of.
class JsonBuilder {
 public:
  explicit JsonBuilder(JsonShape shape) : shape_(std::move(shape)) {}

  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(std::int64_t value) { return put(value); }
  bool number_unsigned(std::uint64_t value) { return put(value); }
  bool number_float(double value, const std::string& /*token*/) { return put(value); }
  bool string(std::string& value) { return put(std::move(value)); }
  static bool binary(Json::binary_t& /*value*/) { return false; }  // JSON has none
  bool start_object(std::size_t /*size*/);
  bool key(std::string& value);
  bool end_object() { return close(); }
  bool start_array(std::size_t /*size*/);
  bool end_array() { return close(); }
  static bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                          const Json::exception& /*error*/) {
    return false;
  }

  Json take() { return std::move(root_); }

 protected:
  bool put(Json value) {
    place() = std::move(value);
    return true;
  }

 private:
  struct Open {
    Json* value = nullptr;
    bool is_indexed = false;
    std::map<std::string_view, Json*> index = {};  // the names are those in the object
  };

  Json& place();
  bool close();

  JsonShape shape_;
  std::size_t objects_ = 0;  // that have begun
  Json root_;
  std::vector<Open> open_;  // each within the one before, to which nothing is added meanwhile
  Json* member_ = nullptr;  // of the innermost object, whose value comes
};

// Discarded if it is no JSON, or past the bounds.
template <typename Builder>
Json build_json(std::string_view text, const JsonBounds& bounds) {
  if (has_zero_byte(text)) return Json::value_t::discarded;
  auto shape = measure_json(text, bounds);
  if (!shape) return Json::value_t::discarded;
  Builder builder(*std::move(shape));
  return Json::sax_parse(text, &builder) ? builder.take() : Json(Json::value_t::discarded);
}

}  // namespace holdfast
