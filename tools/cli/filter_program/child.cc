#include "tools/cli/filter_program/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

namespace holdfast::command {
namespace {

// Child is a child process with a socket as its standard input and output. It is a socket and not a pipe,
// since a write to a closed socket can be told not to kill this process.
class Child {
 public:
  static Result<Child> start(const std::string& command) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return not_started(command);
    Child child;
    child.socket_ = ends[0];
    child.pid_ = ::fork();
    if (child.pid_ == 0) {
      ::dup2(ends[1], STDIN_FILENO);
      ::dup2(ends[1], STDOUT_FILENO);
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    if (child.pid_ < 0) return not_started(command);
    return child;
  }

  Child(Child&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), socket_(std::exchange(other.socket_, -1)) {}
  Child& operator=(Child&&) = delete;
  ~Child() {
    if (socket_ >= 0) ::close(socket_);
    if (pid_ > 0) wait();
  }

  // Feeds lines and reads answers at the same time, since answers may come before all lines are fed.
  Result<std::string> exchange(const NextLine& next) {
    std::string answers;
    std::string unsent;
    bool feeding = true;
    for (;;) {
      if (feeding && unsent.empty()) {
        auto line = next();
        if (!line) return tl::unexpected(line.error());
        feeding = !line->empty();
        if (feeding) unsent = *line + '\n';
        if (!feeding) ::shutdown(socket_, SHUT_WR);
      }
      pollfd wanted{socket_, static_cast<short>(POLLIN | (feeding ? POLLOUT : 0)), 0};
      if (::poll(&wanted, 1, -1) < 0 && errno != EINTR) return answers;
      if ((wanted.revents & POLLOUT) != 0) {
        const ssize_t sent = ::send(socket_, unsent.data(), unsent.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) unsent.erase(0, static_cast<std::size_t>(sent));
        // The program has stopped reading. Its answers and its exit status decide.
        if (sent < 0 && errno != EAGAIN && errno != EINTR) feeding = false;
      }
      if ((wanted.revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      std::array<char, 65536> some{};
      const ssize_t got = ::recv(socket_, some.data(), some.size(), MSG_DONTWAIT);
      if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return answers;
      if (got > 0) answers.append(some.data(), static_cast<std::size_t>(got));
    }
  }

  // Waits for the end and returns the status as waitpid() gives it, or nothing if the system does not tell.
  std::optional<int> wait() {
    int status = 0;
    pid_t ended = 0;
    do {
      ended = ::waitpid(pid_, &status, 0);
    } while (ended < 0 && errno == EINTR);
    pid_ = -1;
    return ended < 0 ? std::nullopt : std::optional(status);
  }

 private:
  Child() = default;
  static tl::unexpected<Error> not_started(const std::string& command) {
    return fail(ErrorCode::kInvalidArgument, "the filter program can't be started: " + command);
  }

  pid_t pid_ = -1;
  int socket_ = -1;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

Result<std::vector<std::string>> lines_through(const std::string& command, const NextLine& next) {
  auto child = Child::start(command);
  if (!child) return tl::unexpected(child.error());
  auto answers = child->exchange(next);
  if (!answers) return tl::unexpected(answers.error());
  const std::optional<int> status = child->wait();
  if (status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0) return split(*answers);
  const std::string how = !status                ? "ended, and the system does not say with which status"
                          : WIFSIGNALED(*status) ? fmt::format("was killed by signal {}", WTERMSIG(*status))
                                                 : fmt::format("ended with status {}", WEXITSTATUS(*status));
  return fail(ErrorCode::kInvalidArgument, "the filter program " + how + "; nothing was touched");
}

}  // namespace holdfast::command
