// Some benchmarks need a process of their own, whose memory, caches and open files come from nothing else.
#pragma once

#include <string>
#include <vector>

namespace holdfast::bench {

// Runs this program anew with these arguments, which main.cc knows. Throws a BenchError if it fails. It must
// be called on the main thread (bench/harness/spawn.h).
void run_child(std::vector<std::string> arguments);

}  // namespace holdfast::bench
