// Tagged rows gain fields over time: they are lists of (tag, value). A field that has its default is not
// written, and a field that a reader does not know is skipped.
//
//   row = (tag:varint value:bytes)*      numbers and times are varints
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/codec/encoding/wire.h"

namespace holdfast::tagged {

inline void put_text(std::string& out, std::uint32_t tag, std::string_view value) {
  if (value.empty()) return;
  wire::put_varint(out, tag);
  wire::put_bytes(out, value);
}

inline void put_number(std::string& out, std::uint32_t tag, std::uint64_t value) {
  if (value == 0) return;
  char bytes[wire::kLongestVarint];
  put_text(out, tag, {bytes, wire::write_varint(bytes, value)});
}

inline void put_time(std::string& out, std::uint32_t tag, Timestamp value) {
  put_number(out, tag, static_cast<std::uint64_t>(value.time_since_epoch().count()));
}

// A Field is one field of a row. A row with a field whose value is malformed does not decode.
struct Field {
  std::uint32_t tag;
  std::string_view value;
  bool& malformed;  // of the whole row

  void fail() const { malformed = true; }

  std::string text() const { return std::string(value); }
  std::uint64_t number() const {
    wire::Reader reader(value);
    const std::uint64_t number = reader.varint();
    if (reader.failed()) fail();
    return number;
  }
  Timestamp time() const { return Timestamp(Duration(static_cast<std::int64_t>(number()))); }
};

// Calls visit(Field) for each field. Returns false if the row does not decode.
template <class Visit>
bool for_each_field(std::string_view row, Visit&& visit) {
  wire::Reader reader(row);
  bool malformed = false;
  while (!reader.at_end()) {
    const std::uint32_t tag = reader.varint32();
    const std::string_view value = reader.bytes();
    if (reader.failed()) return false;
    visit(Field{tag, value, malformed});
  }
  return !malformed;
}

}  // namespace holdfast::tagged
