// The digests that clients of Amazon SQS check.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "server/signing/digests.h"

namespace holdfast::server::sqs {

std::string md5_hex(std::string_view bytes);

// An attribute of a message as SQS has it.
struct TypedValue {
  std::string type;   // "String", "Number" or "Binary", and then perhaps ".label"
  std::string value;  // bytes

  bool is_binary() const { return type.starts_with("Binary"); }

  friend bool operator==(const TypedValue&, const TypedValue&) = default;
};
using TypedAttributes = std::map<std::string, TypedValue>;

// Of all of them by name: for each its name and type, a byte that says whether it is binary, and its value;
// all but the byte with their lengths before them.
std::string md5_of(const TypedAttributes& attributes);

}  // namespace holdfast::server::sqs
