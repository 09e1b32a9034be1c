// Child processes.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/error.h"

namespace holdfast::demo {

// Says how a process ended.
struct Ending {
  int status = 0;  // its exit status, if nothing killed it
  int signal = 0;  // the signal that killed it; 0 if none did
};

// A child of this process. It is killed when this process or this object ends.
class Process {
 public:
  // Starts a program. Its output and errors are appended to `log`; without `log` it shares those of this
  // process.
  static Result<Process> start(const std::vector<std::string>& command,
                               const std::optional<std::filesystem::path>& log = {});
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();

  void send(int signal) const;
  // Returns how the process ended; nothing while it runs.
  std::optional<Ending> poll();
  // Waits until the process has ended.
  Ending wait();

 private:
  explicit Process(pid_t pid) : pid_(pid) {}
  pid_t pid_;
  std::optional<Ending> ending_;
};

// Returns a path for start() to the program that is running, even if its file was replaced since.
std::string own_program();

}  // namespace holdfast::demo
