// Child processes.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/error.h"

namespace holdfast::demo {

// How a process ended.
struct Ending {
  int status = 0;  // its exit status, or
  int signal = 0;  // what killed it
};

// A child of this process. It does not outlive it, nor this object.
class Process {
 public:
  // The child's output and errors are appended to `log`; without one it shares this process's.
  static Result<Process> start(const std::vector<std::string>& command,
                               const std::optional<std::filesystem::path>& log = {});
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();

  void send(int signal) const;
  // How it ended; nothing while it runs.
  std::optional<Ending> poll();
  // Waits for its end.
  Ending wait();

 private:
  explicit Process(pid_t pid) : pid_(pid) {}
  pid_t pid_;
  std::optional<Ending> ending_;
};

// The program that is running, also after its file was replaced: a path for start().
std::string own_program();

}  // namespace holdfast::demo
