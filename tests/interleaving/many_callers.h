// This header declares a campaign of many callers. 3 to 8 of them call one engine in memory, blocking and
// with callbacks. Their turns and calls follow from a seed alone, and the clock moves on with each look at
// it. Writes fail, with a known or an unknown outcome. At any turn the process may die, or the machine, which
// then loses what was not synced. Each time, the oracle of the kill test judges what is left. It allows for
// calls that overlap.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace holdfast::testing {

struct Campaign {
  std::vector<std::string> wrong;           // one line for each broken promise
  std::uint64_t trace = 0;                  // a hash of all calls, answers and turns
  std::map<std::string, std::size_t> done;  // how often each verb has succeeded
  std::map<std::string, std::size_t> ends;  // how rounds have ended
};

Campaign run_many_callers(std::uint64_t seed);

}  // namespace holdfast::testing
