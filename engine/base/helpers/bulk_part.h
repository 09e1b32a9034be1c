// A part of a bulk change of dead letters. A client changes dead letters part by part, each in a call of its
// own, so that no call takes longer than moments.
#pragma once

#include <optional>

#include "holdfast/dead_letter_query.h"

namespace holdfast {

// The place where the next part begins.
struct BulkPlace {
  DeadLetterCursor after;
  // A dead letter with this seq or a higher one died after the first part began, and is left alone.
  Seq end{};

  friend bool operator==(const BulkPlace&, const BulkPlace&) = default;
};

// What a call for one part asks for.
struct BulkPart {
  DeadLetterSelection selection = {};
  std::optional<BulkPlace> from = {};  // absent in the first part

  friend bool operator==(const BulkPart&, const BulkPart&) = default;
};

// What a call for one part returns.
struct BulkPartChanged {
  DeadLettersChanged changed = {};     // what this part changed
  std::optional<BulkPlace> next = {};  // absent if there are no more

  friend bool operator==(const BulkPartChanged&, const BulkPartChanged&) = default;
};

}  // namespace holdfast
