// How the fields of the protocol's structs are called and shaped in JSON.
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
  kData,      // bytes: two members of the object
  kMessageId,
  kReceipt,
  kError,    // an object of the code's name and the message
  kOpaque,   // a struct whose fields are the server's business
  kChoice,   // a union of one value and of nothings: `value` is the one
  kObject,   // a struct or a group
  kList,     // `element` says of what
  kNothing,  // Void
  kNone,     // it has no form in JSON: a capability
};

struct JsonField {
  std::string name;
  capnp::StructSchema::Field field;
  Shape shape = Shape::kPlain;
  Shape element = Shape::kPlain;  // of a list
};

// Of a struct or a group, once made and kept for good. Any thread.
const std::vector<JsonField>& json_fields(capnp::StructSchema schema);

// Null if there is none of that name.
const JsonField* find_field(capnp::StructSchema schema, std::string_view name);

// Whether it is data, or a choice of data: such a member has a second name, that of the field and "Base64".
bool holds_data(const JsonField& field);

// Of a kChoice: the value, and what says that there is none.
const JsonField& value_of_choice(capnp::StructSchema group);
capnp::StructSchema::Field nothing_of_choice(capnp::StructSchema group);

}  // namespace holdfast::server
