// An attribute is found by looking at one after the other. A message has few of them, and they stay in the
// order in which its producer gave them.
#include "holdfast/message.h"

#include <algorithm>

namespace holdfast {

std::string_view find_attribute(const Attributes& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  return found == attributes.end() ? std::string_view{} : std::string_view(found->value);
}

}  // namespace holdfast
