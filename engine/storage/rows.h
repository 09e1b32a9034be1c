// Walks over the rows of a family.
#pragma once

#include <string>
#include <string_view>

#include "engine/storage/store.h"

namespace holdfast {

inline const std::string kKeysEnd(16, '\xff');  // past every key of the built-in families

// Calls visit(key, value), which returns a Result<void>, for each row in [begin, end). The first error ends
// the walk and is returned.
template <class Visit>
Result<void> for_each_row(const Reader& reader, Family family, std::string_view begin, std::string_view end,
                          Visit&& visit) {
  const auto scan = reader.scan(family, begin, end);
  for (; scan->valid(); scan->next()) {
    if (Result<void> ok = visit(scan->key(), scan->value()); !ok) return ok;
  }
  return scan->status();
}

}  // namespace holdfast
