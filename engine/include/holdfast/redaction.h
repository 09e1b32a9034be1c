// What is left out of messages and dead letters before they are shown.
#pragma once

#include <string>
#include <vector>

namespace holdfast {

// What the caller may not see. What was taken out is named in DeadLetter::redacted and
// PeekedMessage::redacted. What consumers wrote about a failure (reason, stack trace, nested errors) is
// shown.
struct Redaction {
  bool bodies = false;  // the body and the partial output
  // Values of the attributes of these names: at most limits::kRedactedAttributes, of at most
  // limits::kAttributeNameBytes each.
  std::vector<std::string> attributes = {};

  // Nothing is left out.
  bool empty() const { return !bodies && attributes.empty(); }
  friend bool operator==(const Redaction&, const Redaction&) = default;
};

// All that one of them leaves out.
Redaction both(Redaction one, const Redaction& other);

}  // namespace holdfast
