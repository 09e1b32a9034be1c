// Benchmarks that need a process of their own: memory, caches and open files of one that has done nothing
// else.
#pragma once

#include <string>
#include <vector>

namespace holdfast::bench {

// Runs this program anew with these arguments; main.cc knows them. A BenchError if it fails.
void run_child(std::vector<std::string> arguments);

}  // namespace holdfast::bench
