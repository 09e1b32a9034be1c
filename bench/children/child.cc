#include "bench/children/child.h"

#include <sys/wait.h>

#include <utility>

#include "bench/harness/spawn.h"
#include "bench/harness/workload.h"

namespace holdfast::bench {

void run_child(std::vector<std::string> arguments) {
  const std::string what = arguments.front();
  arguments.insert(arguments.begin(), "/proc/self/exe");
  const pid_t child = spawn(std::move(arguments));
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) throw BenchError(what + " failed");
}

}  // namespace holdfast::bench
