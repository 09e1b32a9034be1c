// Counts what the whole process allocates with operator new, RocksDB's own allocations included.
#pragma once

#include <cstdint>

namespace holdfast::bench {

// Returns how often operator new was called since the process started, on all threads.
std::uint64_t allocation_count();

}  // namespace holdfast::bench
