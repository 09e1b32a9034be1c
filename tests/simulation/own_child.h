// Runs one case of this very test binary in a process of its own, so that what ends a process is seen as
// that.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace holdfast::simulation {

struct ChildEnd {
  bool sound = false;   // it ended by itself, and its case passed
  std::string how;      // "SIGABRT", "status 1"
  std::string printed;  // on both of its outputs
};

// `test`: its full name; it may be a disabled one. `variables`: of its environment, beside this process's.
ChildEnd run_in_child(const std::string& test,
                      const std::vector<std::pair<std::string, std::string>>& variables);

}  // namespace holdfast::simulation
