// Bounds lists. An entry may take no bytes in a message and many in memory, so a message of a hundred bytes
// can claim to have millions of entries.
#pragma once

#include <kj/debug.h>

#include <algorithm>
#include <cstddef>

#include "holdfast/limits.h"

namespace holdfast::convert {

// Returns how many entries to read of a list that is checked later: at most one more than `limit`, so that
// the check refuses a longer list.
template <class List>
unsigned size_to_check(const List& list, std::size_t limit) {
  return static_cast<unsigned>(std::min<std::size_t>(list.size(), limit + 1));
}

// kRedacted is the most parts that a redaction leaves out: attributes, and the body and the partial output.
inline constexpr std::size_t kRedacted = limits::kRedactedAttributes + 2;

// kShortList is the most entries of a list in a reply that is short whatever the server is: warnings, alerts
// that hold, ages.
inline constexpr std::size_t kShortList = 100;

// Returns a list of a reply. Throws if it is longer than a server may make it.
template <class List>
List at_most(std::size_t limit, List list) {
  KJ_REQUIRE(list.size() <= limit, "a list of the reply is longer than it may be", list.size(), limit);
  return list;
}

}  // namespace holdfast::convert
