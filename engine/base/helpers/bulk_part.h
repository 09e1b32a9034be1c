// A part of a bulk change of dead letters. A client changes them part by part, each in a call of its own, so
// that no call takes more than moments.
#pragma once

#include <optional>

#include "holdfast/dead_letter_query.h"

namespace holdfast {

// Where the next part begins.
struct BulkPlace {
  DeadLetterCursor after;
  Seq end{};  // of the first part: what has this seq or a higher one died after the first part began

  friend bool operator==(const BulkPlace&, const BulkPlace&) = default;
};

// What a call for one part asks for.
struct BulkPart {
  DeadLetterSelection selection = {};
  std::optional<BulkPlace> from = {};  // absent: this is the first part

  friend bool operator==(const BulkPart&, const BulkPart&) = default;
};

// What such a call gives.
struct BulkPartChanged {
  DeadLettersChanged changed = {};     // by this part
  std::optional<BulkPlace> next = {};  // there may be more

  friend bool operator==(const BulkPartChanged&, const BulkPartChanged&) = default;
};

}  // namespace holdfast
