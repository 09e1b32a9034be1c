// Finds everything that an engine holds through its verbs, and leaves it as it was, except for the rows of
// transactions.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "holdfast/engine.h"
#include "tests/crash/oracle.h"

namespace holdfast::testing {

struct Findings {
  std::vector<Survivor> survivors;
  std::map<std::string, std::string> transfers;  // the rows of kTransfers, which are taken away
  std::vector<std::string> wrong;                // where the engine contradicts itself
};

// Finds the survivors. Requires that every lease and delay is over.
Findings find_survivors(Engine& engine, const Clock& clock);
// Opens the directory at `time`, when every earlier lease and delay is over.
Findings find_survivors(const std::filesystem::path& directory, Timestamp time);

}  // namespace holdfast::testing
