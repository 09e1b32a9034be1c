// A child process whose standard output the parent reads line by line.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace holdfast::testing {

class ChildProcess {
 public:
  explicit ChildProcess(const std::vector<std::string>& command);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Nothing at the end of the output. A last line without an end was cut off by the kill, and is left out.
  std::optional<std::string> read_line();
  // SIGKILL. What it wrote before can still be read.
  void kill();
  // Waits for its end. Whether it died of the kill.
  bool was_killed();

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  bool reaped_ = false;
  std::string buffer_;
};

}  // namespace holdfast::testing
