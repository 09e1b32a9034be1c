// ChildProcess is a child process whose standard output the parent reads line by line.
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

  // Returns nothing at the end of the output. If the kill has cut off the last line, it is left out.
  std::optional<std::string> read_line();
  // Sends SIGKILL. What the child wrote before can still be read.
  void kill();
  // Waits for the child's end. Returns whether it died of the kill.
  bool was_killed();

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  bool reaped_ = false;
  std::string buffer_;
};

}  // namespace holdfast::testing
