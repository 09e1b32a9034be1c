// The two processes of engine/backlog10M: the one that leaves a backlog behind without closing, and the
// one that finds it.
#pragma once

#include <cstddef>
#include <filesystem>

#include "bench/meter.h"

namespace holdfast::bench {

// Sends `count` messages of 1 KiB and leaves the process at once, the engine open. Does not return.
[[noreturn]] void fill_backlog(const std::filesystem::path& directory, std::size_t count);

struct BacklogReport {
  double open_seconds = 0;
  // The most the process held while it opened the backlog and drained the first tenth, caches included.
  double resident_mib = 0;
  double drained_disk_mib = 0;  // of the directory, right after the last ack
  Sample drain;
  double drain_reference = 0;  // messages/s of an engine that holds little
  double drain_ratio = 0;      // median over the rounds
};

// Opens the backlog, receives and acknowledges all of it, with fsync and in batches of 100. A second engine
// that is filled with little at a time, unmeasured, drains in turns with it.
BacklogReport measure_backlog(const std::filesystem::path& directory, std::size_t count);

void write_report(const BacklogReport& report, const std::filesystem::path& file);
BacklogReport read_report(const std::filesystem::path& file);

}  // namespace holdfast::bench
