// A server that a benchmark starts: its process, those that it starts, and what they use.
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
  double memory_mib = 0;  // proportional set size: pages that processes share count once
};

// Started by the constructor, with standard output and error in a file; ended by its id by the destructor:
// asked with SIGTERM, and killed after 10 s.
class Process {
 public:
  // `command`: the program, looked for in PATH, and its arguments. `environment` ("NAME=value") comes on top.
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

// Of a process and all that descend from it.
ProcessUse use_of(pid_t pid);

// Runs a program to its end. BenchError with what it said if it fails.
void run_program(const std::vector<std::string>& command, const std::filesystem::path& log,
                 const std::vector<std::string>& environment = {});

// Of 127.0.0.1, free just now.
std::uint16_t free_port();

// Asks again and again, for up to `patience`. BenchError with the end of the log if the process ends or time
// runs out.
void wait_until_ready(Process& process, const std::filesystem::path& log, const std::function<bool()>& ready,
                      std::chrono::seconds patience = std::chrono::seconds(20));

}  // namespace holdfast::bench
