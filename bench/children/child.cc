#include "bench/children/child.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/harness/workload.h"

namespace holdfast::bench {

void run_child(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "/proc/self/exe");
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawn(&child, argv[0], nullptr, nullptr, argv.data(), environ);
  if (error != 0) throw BenchError("cannot start a process: errno " + std::to_string(error));
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) throw BenchError(arguments[1] + " failed");
}

}  // namespace holdfast::bench
