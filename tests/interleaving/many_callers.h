// A campaign of many callers: 3 to 8 of them on one engine in memory, blocking and with callbacks, whose
// turns and calls follow from a seed alone; the clock moves on with each look at it. Writes fail, with a
// known or an unknown outcome, the process dies at any turn, and the machine, which then loses what was not
// synced. What is left each time is judged by the oracle of the kill test, which allows for calls that
// overlap.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace holdfast::testing {

struct Campaign {
  std::vector<std::string> wrong;           // a line each
  std::uint64_t trace = 0;                  // of all calls, answers and turns
  std::map<std::string, std::size_t> done;  // how often each verb has succeeded
  std::map<std::string, std::size_t> ends;  // how rounds have ended
};

Campaign run_many_callers(std::uint64_t seed);

}  // namespace holdfast::testing
