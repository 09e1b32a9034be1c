// Checks that the application's families are there, have names of their own and ids that were given out, and
// can be read.
#include <algorithm>
#include <set>
#include <vector>

#include "engine/storage/application_keys.h"
#include "engine/verify/checks.h"
#include "engine/verify/rows.h"

namespace holdfast::verify {
namespace {

// Checks that a family can be read. What its rows say is the application's own business.
void check_readable(const Reader& reader, Family family, const std::string& where, Findings& findings) {
  const auto scan = reader.scan(family, {}, kApplicationKeysEnd);
  while (scan->valid()) scan->next();
  if (const auto status = scan->status(); !status) findings.add("unreadable", where, status.error().message);
}

}  // namespace

void check_families(const Facts& facts, Findings& findings) {
  const std::vector<Family> there = facts.reader.application_families();
  std::set<std::string, std::less<>> names;
  for_each_row(facts.reader, Family::kCatalog, keys::kFamiliesBegin, keys::kFamiliesEnd, findings,
               [&](std::string_view key, std::string_view name) {
                 const auto id = keys::parse_family_row(key);
                 if (!id)
                   return findings.add("undecodable", "catalog: a family of the application", "its key");
                 const std::string family = "family '" + std::string(name) + "'";
                 const std::string where = "catalog: " + family;
                 if (static_cast<std::uint64_t>(*id) >= facts.allocation.next_family_id) {
                   findings.add("id_not_allocated", where, "the id is to be given out again");
                 }
                 if (!names.emplace(name).second) findings.add("name_twice", where, "two families have it");
                 const Family stored = application_family(static_cast<std::uint64_t>(*id));
                 if (!std::ranges::binary_search(there, stored)) {
                   return findings.add("family_missing", where, "the store does not have it");
                 }
                 check_readable(facts.reader, stored, family, findings);
               });
}

}  // namespace holdfast::verify
