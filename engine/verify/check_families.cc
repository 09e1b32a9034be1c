// The application's families have names of their own and ids that were given out.
#include <set>

#include "verify/check.h"
#include "verify/rows.h"

namespace holdfast::verify {

void check_families(const Facts& facts, Findings& findings) {
  std::set<std::string, std::less<>> names;
  for_each_row(facts.reader, Family::kCatalog, keys::kFamiliesBegin, keys::kFamiliesEnd, findings,
               [&](std::string_view key, std::string_view name) {
                 const auto id = keys::parse_family_row(key);
                 if (!id)
                   return findings.add("undecodable", "catalog: a family of the application", "its key");
                 const std::string where = "catalog: family '" + std::string(name) + "'";
                 if (static_cast<std::uint64_t>(*id) >= facts.allocation.next_family_id) {
                   findings.add("id_not_allocated", where, "the id is to be given out again");
                 }
                 if (!names.emplace(name).second) findings.add("name_twice", where, "two families have it");
               });
}

}  // namespace holdfast::verify
