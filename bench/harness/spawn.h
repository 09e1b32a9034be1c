// Starts programs that end with this process, however it ends.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::bench {

// Starts a program and returns its process. `command` is the program, which is looked for in PATH, and its
// arguments. `log` gets its standard output and error, and its input is empty; if `log` is empty, it inherits
// all three. `environment` ("NAME=value") is added to the inherited one. Throws a BenchError if it cannot be
// started.
//
// The kernel kills the program when the thread that calls this ends, so call it on the main thread. A program
// that changes its user has to see to that itself.
pid_t spawn(std::vector<std::string> command, const std::filesystem::path& log = {},
            const std::vector<std::string>& environment = {});

}  // namespace holdfast::bench
