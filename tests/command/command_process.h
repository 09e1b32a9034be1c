// Runs the executable as a child of the test, on a pseudo terminal as a person does, or with pipes.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::command {

class CommandProcess {
 public:
  struct Size {
    unsigned short rows = 24;
    unsigned short columns = 80;
  };
  using Environment = std::vector<std::pair<std::string, std::string>>;

  // Starts the command on a terminal of this size.
  CommandProcess(const std::vector<std::string>& arguments, Size size, const Environment& environment = {}) {
    const winsize window{.ws_row = size.rows, .ws_col = size.columns, .ws_xpixel = 0, .ws_ypixel = 0};
    const auto argv = argv_of(arguments);
    pid_ = ::forkpty(&in_, nullptr, nullptr, &window);
    if (pid_ < 0) throw std::runtime_error("forkpty failed");
    if (pid_ == 0) {
      ::setenv("TERM", "xterm", 1);  // NOLINT(concurrency-mt-unsafe): the child has one thread
      ::unsetenv("NO_COLOR");        // NOLINT(concurrency-mt-unsafe)
      for (const auto& [name, value] : environment)
        ::setenv(name.c_str(), value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
      ::execv(HOLDFAST_COMMAND, argv.data());
      ::_exit(127);
    }
    ::fcntl(in_, F_SETFD, FD_CLOEXEC);  // later children must not keep the terminal open
    out_ = in_;
  }

  // Starts the command with its standard input and output in pipes. Its error stream is that of the test.
  explicit CommandProcess(const std::vector<std::string>& arguments) {
    int in[2];
    int out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
    const auto argv = argv_of(arguments);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    const int error = ::posix_spawn(&pid_, HOLDFAST_COMMAND, &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(in[0]);
    ::close(out[1]);
    in_ = in[1];
    out_ = out[0];
    if (error != 0) throw std::runtime_error("cannot start the command");
  }

  CommandProcess(const CommandProcess&) = delete;
  CommandProcess& operator=(const CommandProcess&) = delete;
  ~CommandProcess() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    if (out_ >= 0 && out_ != in_) ::close(out_);
    if (in_ >= 0) ::close(in_);
  }

  void type(std::string_view text) const {
    ASSERT_EQ(::write(in_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void signal(int number) const { ::kill(pid_, number); }
  void close_input() { ::close(std::exchange(in_, -1)); }
  void close_output() { ::close(std::exchange(out_, -1)); }

  // Reads until the output contains this. Returns false if the command has ended before, or says nothing for
  // very long.
  bool wait_for(std::string_view text) {
    while (output_.find(text) == std::string::npos) {
      if (!read_more()) return false;
    }
    return true;
  }
  bool wait_for_lines(std::ptrdiff_t count) {
    while (std::ranges::count(output_, '\n') < count) {
      if (!read_more()) return false;
    }
    return true;
  }
  // Reads until the page that a live view shows contains this. The page is what was drawn last, without
  // control sequences.
  bool wait_for_page(std::string_view text) {
    while (page().find(text) == std::string::npos) {
      if (!read_more()) return false;
    }
    return true;
  }
  std::string page() const {
    const std::string_view all = output_;
    const auto end = all.rfind("\x1b[J");
    if (end == std::string_view::npos) return "";
    const auto begin = all.rfind("\x1b[H", end);
    return without_sequences(all.substr(begin, end - begin));
  }

  // Reads until the command ends, and returns all of its output.
  const std::string& output_to_end() {
    while (read_more()) {
    }
    return output_;
  }
  // Waits for the end. Returns 1000 + the signal if a signal has killed the command.
  int exit_status() {
    if (out_ >= 0) output_to_end();
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }

  static std::string without_sequences(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\x1b') {
        if (text[i] != '\r') plain += text[i];
        continue;
      }
      for (i += 2; i < text.size() && (text[i] < 0x40 || text[i] > 0x7e); ++i) {
      }
    }
    return plain;
  }

 private:
  std::vector<char*> argv_of(const std::vector<std::string>& arguments) {
    arguments_ = arguments;
    arguments_.insert(arguments_.begin(), "holdfast");
    std::vector<char*> argv;
    for (std::string& argument : arguments_) argv.push_back(argument.data());
    argv.push_back(nullptr);
    return argv;
  }

  bool read_more() {
    constexpr int kVeryLongMillis = 120'000;
    pollfd input{.fd = out_, .events = POLLIN, .revents = 0};
    if (::poll(&input, 1, kVeryLongMillis) <= 0) return false;
    std::array<char, 65536> some{};
    const ssize_t count = ::read(out_, some.data(), some.size());  // EIO: the terminal's other end is closed
    if (count > 0) output_.append(some.data(), static_cast<std::size_t>(count));
    return count > 0;
  }

  std::vector<std::string> arguments_;
  pid_t pid_ = 0;
  int in_ = -1;
  int out_ = -1;
  std::string output_;
};

}  // namespace holdfast::command
