// Servers that a benchmark starts, with the processes that they start, and what these use.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace holdfast::bench {

struct ProcessUse {
  double cpu_seconds = 0;
  double memory_mib = 0;  // proportional set size: shared pages count once
};

// A process. The constructor starts it, with its standard output and error in a file. The destructor ends it
// by its id: with SIGTERM, and with SIGKILL after 10 s. It must be made on the main thread; if that ends
// without a destructor, the kernel kills the process (bench/harness/spawn.h).
class Process {
 public:
  // `command` is the program, which is looked for in PATH, and its arguments. `environment` ("NAME=value") is
  // added to the inherited one.
  Process(const std::vector<std::string>& command, const std::filesystem::path& log,
          const std::vector<std::string>& environment = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  bool is_running();

 private:
  pid_t pid_ = -1;
};

// Returns what a process and all its descendants have used.
ProcessUse use_of(pid_t pid);

// Runs a program to its end. If it fails, throws a BenchError with its output.
void run_program(const std::vector<std::string>& command, const std::filesystem::path& log,
                 const std::vector<std::string>& environment = {});

// Returns a port of 127.0.0.1 that is free now.
std::uint16_t free_port();

// Calls `ready` again and again, for up to `timeout`. If the process ends or the time runs out, throws a
// BenchError with the end of the log.
void wait_until_ready(Process& process, const std::filesystem::path& log, const std::function<bool()>& ready,
                      std::chrono::seconds timeout = std::chrono::seconds(20));

}  // namespace holdfast::bench
