// This header declares the two processes of engine/queues10k. One creates the queues, and the other opens
// them.
#pragma once

#include <cstddef>
#include <filesystem>

namespace holdfast::bench {

void create_queues(const std::filesystem::path& directory, std::size_t count);

struct QueuesReport {
  double open_seconds = 0;
  double resident_mib = 0;  // the memory of the whole process, once the queues are open
};

QueuesReport measure_queues(const std::filesystem::path& directory, std::size_t count);

void write_queues_report(const QueuesReport& report, const std::filesystem::path& file);
QueuesReport read_queues_report(const std::filesystem::path& file);

}  // namespace holdfast::bench
