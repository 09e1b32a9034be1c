// Runs one case of this very test program in a process of its own, so that a test sees what ends the process.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace holdfast::simulation {

struct ChildEnd {
  bool sound = false;   // it ended by itself, and its case passed
  std::string how;      // how it ended, such as "SIGABRT" or "status 1"
  std::string printed;  // what it printed on both of its outputs
};

// `test` is the case's full name; it may be a disabled one. `variables` are added to the environment.
ChildEnd run_in_child(const std::string& test,
                      const std::vector<std::pair<std::string, std::string>>& variables);

}  // namespace holdfast::simulation
