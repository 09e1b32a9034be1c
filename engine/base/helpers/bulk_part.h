// A bulk change of dead letters has parts. A client changes dead letters part by part, each in a call of its
// own, so that no call takes longer than moments.
#pragma once

#include <optional>

#include "holdfast/dead_letter_query.h"

namespace holdfast {

// The next part begins at this place.
struct BulkPlace {
  DeadLetterCursor after;
  // A dead letter with this seq or a higher one died after the first part began, and is left alone.
  Seq end{};

  friend bool operator==(const BulkPlace&, const BulkPlace&) = default;
};

// A BulkPart is the request of a call for one part.
struct BulkPart {
  DeadLetterSelection selection = {};
  std::optional<BulkPlace> from = {};  // absent in the first part

  friend bool operator==(const BulkPart&, const BulkPart&) = default;
};

// A call for one part returns a BulkPartChanged.
struct BulkPartChanged {
  DeadLettersChanged changed = {};     // what this part changed
  std::optional<BulkPlace> next = {};  // absent if there are no more

  friend bool operator==(const BulkPartChanged&, const BulkPartChanged&) = default;
};

}  // namespace holdfast
