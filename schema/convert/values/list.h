// Lists, bounded: an entry may take no bytes in a message and many in memory, so a message of a hundred bytes
// can say that it has millions.
#pragma once

#include <kj/debug.h>

#include <algorithm>
#include <cstddef>

#include "holdfast/limits.h"

namespace holdfast::convert {

// How many entries to read of a list that is checked later: at most one more than there may be, which is
// enough to be refused for it.
template <class List>
unsigned size_to_check(const List& list, std::size_t limit) {
  return static_cast<unsigned>(std::min<std::size_t>(list.size(), limit + 1));
}

// Names of attributes, and what else can be taken out: the body, the partial output.
inline constexpr std::size_t kRedacted = limits::kRedactedAttributes + 2;

// Of a list in a reply that is always short, whatever its server: warnings, alerts that hold, ages.
inline constexpr std::size_t kShortList = 100;

// A list of a reply. Throws if it is longer than any server's.
template <class List>
List at_most(std::size_t limit, List list) {
  KJ_REQUIRE(list.size() <= limit, "a list of the reply is longer than it may be", list.size(), limit);
  return list;
}

}  // namespace holdfast::convert
