// Walks over the rows of a family.
#pragma once

#include <string>
#include <string_view>

#include "engine/storage/store.h"
#include "engine/verify/findings.h"

namespace holdfast::verify {

inline const std::string kEnd(16, '\xff');  // past the keys of all queues and tasks

// Visits the rows of [begin, end). Reports a walk that ends early.
template <class Visit>
void for_each_row(const Reader& reader, Family family, std::string_view begin, std::string_view end,
                  Findings& findings, Visit&& visit) {
  const auto scan = reader.scan(family, begin, end);
  for (; scan->valid(); scan->next()) visit(scan->key(), scan->value());
  if (const auto status = scan->status(); !status) {
    findings.add("unreadable", std::string(family_name(family)), status.error().message);
  }
}

}  // namespace holdfast::verify
