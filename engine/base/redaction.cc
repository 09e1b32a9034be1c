#include "holdfast/redaction.h"

#include <algorithm>

namespace holdfast {

Redaction both(Redaction one, const Redaction& other) {
  one.bodies |= other.bodies;
  for (const std::string& name : other.attributes) {
    if (std::ranges::find(one.attributes, name) == one.attributes.end()) one.attributes.push_back(name);
  }
  return one;
}

}  // namespace holdfast
