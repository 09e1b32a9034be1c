// The names and the forms in JSON of the fields of the protocol's structs.
#pragma once

#include <capnp/dynamic.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::server {

enum class Shape : std::uint8_t {
  kPlain,     // a boolean, a number, a text or the name of an enumerant
  kDuration,  // microseconds
  kTime,      // microseconds since the epoch
  kHex,       // 64 bits
  kPlace,     // 64 bits, of which the top ones may be set
  kData,      // bytes, which are two members of the object
  kMessageId,
  kReceipt,
  kError,    // an object with the code's name and the message
  kOpaque,   // a struct whose fields only the server understands
  kChoice,   // a union of one value and of fields without a value: `value` is the one
  kObject,   // a struct or a group
  kList,     // a list; `element` says of what
  kNothing,  // Void
  kNone,     // a capability, which has no form in JSON
};

struct JsonField {
  std::string name;
  capnp::StructSchema::Field field;
  Shape shape = Shape::kPlain;
  Shape element = Shape::kPlain;  // the shape of a list's elements
  bool is_required = false;       // a request without the field is refused
};

// Returns the fields of a struct or a group. They are made once and kept for good. Thread-safe.
const std::vector<JsonField>& json_fields(capnp::StructSchema schema);

// Returns null if there is no field of that name.
const JsonField* find_field(capnp::StructSchema schema, std::string_view name);

// Returns whether the field is data, or a choice of data. Such a member has a second name, which ends in
// "Base64".
bool holds_data(const JsonField& field);

// Returns whether a query has the members of this struct as parameters of their own: those of a union of
// several values, of a filter and of a consumer.
bool opens_in_query(const JsonField& field);

// Returns whether the field is a list of objects, which a query has as one text, which is JSON.
bool is_list_of_objects(const JsonField& field);

// The parts of a kChoice: the value, and the field that says that there is none.
const JsonField& value_of_choice(capnp::StructSchema group);
capnp::StructSchema::Field nothing_of_choice(capnp::StructSchema group);

}  // namespace holdfast::server
