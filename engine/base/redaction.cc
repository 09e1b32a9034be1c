// A redaction hides bodies and some attributes from a reader. Two of them, such as the caller's wish and what
// its token may not see, add up: what either hides is hidden.
#include "holdfast/message.h"

#include <algorithm>

#include "engine/base/validation/validate.h"
#include "holdfast/limits.h"

namespace holdfast {

Result<void> validate(const Redaction& redaction) {
  const auto& names = redaction.attributes;
  if (auto ok = at_most(names.size(), limits::kRedactedAttributes, "redact.attributes", "names"); !ok)
    return ok;
  for (const std::string& name : names) {
    if (auto ok = at_most(name.size(), limits::kAttributeNameBytes, "redact.attributes: a name"); !ok)
      return ok;
  }
  return {};
}

Redaction both(Redaction one, const Redaction& other) {
  one.bodies |= other.bodies;
  for (const std::string& name : other.attributes) {
    if (std::ranges::find(one.attributes, name) == one.attributes.end()) one.attributes.push_back(name);
  }
  return one;
}

}  // namespace holdfast
