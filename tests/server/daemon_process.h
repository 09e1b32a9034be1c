// Runs the executable as a child of the test.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::server {

// Daemon is a running holdfastd, with its log in a pipe.
class Daemon {
 public:
  explicit Daemon(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), HOLDFASTD);
    spawn(HOLDFASTD, std::move(arguments));
  }
  // A shell runs the command `first`, such as "ulimit -n 100", before the server.
  Daemon(const std::string& first, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"sh", "-c", first + "; exec \"$@\"", "sh", HOLDFASTD});
    spawn("/bin/sh", std::move(arguments));
  }
  ~Daemon() {
    if (pid_ != 0) {
      signal(SIGKILL);
      (void)exit_status();
    }
    (void)std::fclose(log_end_);
  }
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  // Returns where the server listens, once it does.
  std::string address() { return after(" info listening on "); }

  // Waits for a line of the log that says so, and returns the rest of the line.
  std::string after(std::string_view says) {
    for (std::string line = next_line(); !line.empty(); line = next_line()) {
      if (auto at = line.find(says); at != std::string::npos) return line.substr(at + says.size());
    }
    throw std::runtime_error("it does not say '" + std::string(says) + "':\n" + log_);
  }

  pid_t pid() const { return pid_; }
  // Makes the pipe so small that the log is soon stuck, until somebody reads on.
  void narrow_log() const { ::fcntl(::fileno(log_end_), F_SETPIPE_SZ, 1); }
  void signal(int number) const { ::kill(pid_, number); }

  // Waits for the server's end. Returns 1000 + the signal if a signal has killed it.
  int exit_status() {
    while (!next_line().empty()) {
    }
    return exit_status_unread();
  }
  // Waits without reading the log.
  int exit_status_unread() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }

  const std::string& log() const { return log_; }

 private:
  void spawn(const char* program, std::vector<std::string> arguments) {
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (auto& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    // A server may outlive a test that was killed. Its output is the pipe too, so that it does not hold the
    // test's output open.
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const int error = ::posix_spawn(&pid_, program, &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    log_end_ = ::fdopen(ends[0], "r");
    if (error != 0) throw std::runtime_error("cannot start " + std::string(program));
  }

  std::string next_line() {
    char* line = nullptr;
    std::size_t capacity = 0;
    const auto size = ::getline(&line, &capacity, log_end_);
    std::string text(line, size > 0 ? static_cast<std::size_t>(size) : 0);
    ::free(line);
    log_ += text;
    if (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }

  pid_t pid_ = 0;
  std::FILE* log_end_ = nullptr;
  std::string log_;
};

}  // namespace holdfast::server
