// Walks over the rows that were gathered.
#pragma once

#include <string_view>

#include "engine/storage/store.h"

namespace holdfast::salvage {

// Calls visit(key, value), which returns a Result<void>, for each row. The first error ends the walk and is
// returned.
template <class Visit>
Result<void> for_each_row(const Reader& reader, Family family, std::string_view begin, std::string_view end,
                          Visit&& visit) {
  const auto scan = reader.scan(family, begin, end);
  for (; scan->valid(); scan->next()) {
    if (Result<void> ok = visit(scan->key(), scan->value()); !ok) return ok;
  }
  return scan->status();
}

}  // namespace holdfast::salvage
