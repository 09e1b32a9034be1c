// Redaction: what is left out of messages and dead letters before they are shown.
#pragma once

#include <string>
#include <vector>

namespace holdfast {

// What the caller does not want to see, or may not see. DeadLetter::redacted and PeekedMessage::redacted name
// what was taken out. What consumers wrote about a failure (reason, stack trace, nested errors) is shown.
struct Redaction {
  bool bodies = false;  // leave out bodies and the partial output of failures
  // Leave out the values of the attributes with these names. At most limits::kRedactedAttributes names, each
  // of at most limits::kAttributeNameBytes.
  std::vector<std::string> attributes = {};

  // Whether nothing is left out.
  bool empty() const { return !bodies && attributes.empty(); }
  friend bool operator==(const Redaction&, const Redaction&) = default;
};

// Returns a redaction that leaves out what either of the two leaves out.
Redaction both(Redaction one, const Redaction& other);

}  // namespace holdfast
