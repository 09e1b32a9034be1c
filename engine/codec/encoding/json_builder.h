// Builds a value from a text of JSON, in time proportional to the length of the text.
//
// The library's own way takes longer. Its objects are vectors: it looks for each new member among all others,
// and a vector that grows copies its members with all that they contain. So this code measures the text first
// and gives each object its room at once. Objects of many members have an index while they are built.
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

// A JsonShape has the number of members of each object, in the order in which the objects begin. The numbers
// mean nothing if the text is not JSON.
struct JsonShape {
  std::vector<std::uint32_t> members;
};

// Measures a text. Returns nothing if it exceeds the bounds.
std::optional<JsonShape> measure_json(std::string_view text, const JsonBounds& bounds);

// Builds a value from the events of the library's parser.
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
  bool key(std::string& value) {
    (void)add_member(value);
    return true;
  }
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

  // Of two members of one name there is the last one's value at the first one's place. False if there is one
  // of this name already; else `name` may be gone.
  bool add_member(std::string& name);

 private:
  struct Open {
    Json* value = nullptr;
    bool is_indexed = false;
    std::map<std::string_view, Json*> index = {};  // the names are views of those in the object
  };

  Json& place();
  bool close();

  JsonShape shape_;
  std::size_t objects_ = 0;  // how many objects have begun
  Json root_;
  // These objects and arrays are open, each within the one before. Nothing is added to an outer one
  // meanwhile, so the pointers stay valid.
  std::vector<Open> open_;
  Json* member_ = nullptr;  // the member of the innermost object whose value comes next
};

// Parses a text with a builder. The result is discarded if the text is not JSON or exceeds the bounds.
template <typename Builder>
Json build_json(std::string_view text, const JsonBounds& bounds) {
  if (has_zero_byte(text)) return Json::value_t::discarded;
  auto shape = measure_json(text, bounds);
  if (!shape) return Json::value_t::discarded;
  Builder builder(*std::move(shape));
  return Json::sax_parse(text, &builder) ? builder.take() : Json(Json::value_t::discarded);
}

}  // namespace holdfast
