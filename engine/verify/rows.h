// Walks over the rows of a family.
#pragma once

#include <string>
#include <string_view>

#include "engine/storage/rows.h"
#include "engine/verify/findings.h"

namespace holdfast::verify {

// Visits the rows of [begin, end). Reports a walk that ends early.
template <class Visit>
void for_each_row(const Reader& reader, Family family, std::string_view begin, std::string_view end,
                  Findings& findings, Visit&& visit) {
  const auto walked =
      holdfast::for_each_row(reader, family, begin, end, [&](std::string_view key, std::string_view value) {
        visit(key, value);
        return Result<void>();
      });
  if (!walked) findings.add("unreadable", std::string(family_name(family)), walked.error().message);
}

}  // namespace holdfast::verify
