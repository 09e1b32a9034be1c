// The two processes of engine/queues10k: the one that creates the queues, and the one that opens them.
#pragma once

#include <cstddef>
#include <filesystem>

namespace holdfast::bench {

void create_queues(const std::filesystem::path& directory, std::size_t count);

struct QueuesReport {
  double open_seconds = 0;
  double resident_mib = 0;  // of the whole process, once they are open
};

QueuesReport measure_queues(const std::filesystem::path& directory, std::size_t count);

void write_queues_report(const QueuesReport& report, const std::filesystem::path& file);
QueuesReport read_queues_report(const std::filesystem::path& file);

}  // namespace holdfast::bench
