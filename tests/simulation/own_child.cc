#include "tests/simulation/own_child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tests/support/temp_dir.h"

namespace holdfast::simulation {
namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> result;
  for (const auto& [name, value] : variables) result.push_back(name + "=" + value);
  // If a name is there twice, the first one counts.
  for (char** variable = environ; *variable != nullptr; ++variable) result.emplace_back(*variable);
  return result;
}

pid_t start(std::vector<std::string> command, std::vector<std::string> environment,
            const std::filesystem::path& output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                   S_IRUSR | S_IWUSR);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t pid = -1;
  const int failed = ::posix_spawn(&pid, command.front().c_str(), &actions, nullptr, pointers(command).data(),
                                   pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " + command.front());
  return pid;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string describe(int status) {
  if (WIFSIGNALED(status)) return std::string("SIG") + ::sigabbrev_np(WTERMSIG(status));
  return "status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

ChildEnd run_in_child(const std::string& test,
                      const std::vector<std::pair<std::string, std::string>>& variables) {
  const testing::TempDir directory;
  const std::filesystem::path output = directory / "output";
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  const int status =
      wait_for(start({self.string(), "--gtest_filter=" + test, "--gtest_also_run_disabled_tests"},
                     environment_with(variables), output));
  std::ifstream file(output);
  return {.sound = WIFEXITED(status) && WEXITSTATUS(status) == 0,
          .how = describe(status),
          .printed = {std::istreambuf_iterator<char>(file), {}}};
}

}  // namespace holdfast::simulation
