#include "tools/examples/demo/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace holdfast::demo {
namespace {

Ending ending_from(int status) {
  return WIFSIGNALED(status) ? Ending{.signal = WTERMSIG(status)} : Ending{.status = WEXITSTATUS(status)};
}

// Turns the child into the program. Runs between fork and exec, so it makes only calls that are safe there.
[[noreturn]] void become(char* const* arguments, const char* log, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (log != nullptr) {
    const int fd = ::open(log, O_WRONLY | O_CREAT | O_APPEND, 0644);
    ::dup2(fd, STDOUT_FILENO);
    ::dup2(fd, STDERR_FILENO);
    ::close(fd);
  }
  ::execv(arguments[0], arguments);
  ::_exit(127);
}

}  // namespace

Result<Process> Process::start(const std::vector<std::string>& command,
                               const std::optional<std::filesystem::path>& log) {
  std::vector<std::string> storage = command;
  std::vector<char*> arguments;
  arguments.reserve(storage.size() + 1);
  for (std::string& argument : storage) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  const char* log_path = log ? log->c_str() : nullptr;
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return fail(ErrorCode::kInternal, fmt::format("cannot start {}", command.front()));
  if (pid == 0) become(arguments.data(), log_path, parent);
  return Process(pid);
}

Process::Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, -1)), ending_(other.ending_) {}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(ending_, other.ending_);
  return *this;
}

Process::~Process() {
  if (pid_ < 0) return;
  send(SIGKILL);
  wait();
}

void Process::send(int signal) const {
  if (!ending_) ::kill(pid_, signal);
}

std::optional<Ending> Process::poll() {
  int status = 0;
  if (!ending_ && ::waitpid(pid_, &status, WNOHANG) == pid_) ending_ = ending_from(status);
  return ending_;
}

Ending Process::wait() {
  int status = 0;
  while (!ending_ && (::waitpid(pid_, &status, 0) == pid_ || errno != EINTR)) ending_ = ending_from(status);
  return *ending_;
}

std::string own_program() { return "/proc/self/exe"; }

}  // namespace holdfast::demo
