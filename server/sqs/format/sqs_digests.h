// The digests that clients of Amazon SQS check.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "server/signing/digests.h"

namespace holdfast::server::sqs {

std::string md5_hex(std::string_view bytes);

// TypedValue is an attribute of a message in the form of SQS.
struct TypedValue {
  std::string type;   // "String", "Number" or "Binary", perhaps followed by ".label"
  std::string value;  // its bytes

  bool is_binary() const { return type.starts_with("Binary"); }

  friend bool operator==(const TypedValue&, const TypedValue&) = default;
};
using TypedAttributes = std::map<std::string, TypedValue>;

// Returns the digest of all attributes in the order of their names: for each its name and type, a byte that
// says whether it is binary, and its value. All of these but the byte have their lengths before them.
std::string md5_of(const TypedAttributes& attributes);

}  // namespace holdfast::server::sqs
