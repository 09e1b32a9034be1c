// This header declares the two processes of engine/backlog10M. One leaves a backlog behind without closing,
// and the other finds it.
#pragma once

#include <cstddef>
#include <filesystem>

#include "bench/harness/meter.h"

namespace holdfast::bench {

// Sends `count` messages of 1 KiB, and leaves the process at once without closing the engine. Does not
// return.
[[noreturn]] void fill_backlog(const std::filesystem::path& directory, std::size_t count);

struct BacklogReport {
  double open_seconds = 0;
  // `resident_mib` is the most memory that the process had while it opened the backlog and drained the first
  // tenth of it, caches included.
  double resident_mib = 0;
  double drained_disk_mib = 0;  // the size of the directory, right after the last ack
  Sample drain;
  double drain_reference = 0;  // messages/s of an engine that holds little
  double drain_ratio = 0;      // the median over the rounds
};

// Opens the backlog, and receives and acknowledges all of it, with fsync and in batches of 100. A second
// engine drains in turns with it; it is filled with little at a time, which is not measured.
BacklogReport measure_backlog(const std::filesystem::path& directory, std::size_t count);

void write_report(const BacklogReport& report, const std::filesystem::path& file);
BacklogReport read_report(const std::filesystem::path& file);

}  // namespace holdfast::bench
