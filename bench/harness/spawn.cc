#include "bench/harness/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "bench/harness/workload.h"

namespace holdfast::bench {
namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (auto& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

// Adds the inherited variables, except those that `environment` has itself.
std::vector<std::string> with_inherited(std::vector<std::string> environment) {
  const std::size_t ours = environment.size();
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string inherited = *variable;
    const std::string name = inherited.substr(0, inherited.find('=') + 1);
    const bool is_ours =
        std::any_of(environment.begin(), environment.begin() + static_cast<std::ptrdiff_t>(ours),
                    [&](const std::string& own) { return own.starts_with(name); });
    if (!is_ours) environment.push_back(inherited);
  }
  return environment;
}

bool redirect(const char* log) {
  const int in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out = ::open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  return ::dup2(in, STDIN_FILENO) >= 0 && ::dup2(out, STDOUT_FILENO) >= 0 && ::dup2(out, STDERR_FILENO) >= 0;
}

// Asks the kernel to end this process when its parent ends. Returns false if it cannot, or if the parent has
// ended before it was asked.
bool bind_to(pid_t parent) { return ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == parent; }

}  // namespace

pid_t spawn(std::vector<std::string> command, const std::filesystem::path& log,
            const std::vector<std::string>& environment) {
  auto variables = with_inherited(environment);
  const auto argv = pointers(command);
  const auto envp = pointers(variables);
  // The child writes here why it could not start the program. When it has started it, the pipe is closed.
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) throw BenchError("there is no pipe: errno " + std::to_string(errno));
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    // Other threads may hold locks that nobody releases here, so this only makes system calls.
    if (bind_to(parent) && (log.empty() || redirect(log.c_str())))
      ::execvpe(argv.front(), argv.data(), envp.data());
    const int why = errno;
    ::_exit(::write(report[1], &why, sizeof(why)) < 0 ? 126 : 127);
  }
  int why = pid < 0 ? errno : 0;
  ::close(report[1]);
  if (pid > 0 && ::read(report[0], &why, sizeof(why)) > 0) ::waitpid(pid, nullptr, 0);
  ::close(report[0]);
  if (why != 0) throw BenchError("cannot start " + command.front() + ": errno " + std::to_string(why));
  return pid;
}

}  // namespace holdfast::bench
