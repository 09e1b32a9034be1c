#include "bench/children/queues_child.h"

#include <chrono>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/contenders/engine_queue.h"
#include "bench/harness/meter.h"

namespace holdfast::bench {

void create_queues(const std::filesystem::path& directory, std::size_t count) {
  Engine engine = open_engine(directory);
  for (std::size_t i = 0; i < count; ++i) {
    require(engine.create_queue("idle-" + std::to_string(i)), "create_queue");
  }
}

QueuesReport measure_queues(const std::filesystem::path& directory, std::size_t count) {
  const auto start = std::chrono::steady_clock::now();
  Engine engine = open_engine(directory);
  const auto took = std::chrono::steady_clock::now() - start;
  const QueuesReport report{.open_seconds = std::chrono::duration<double>(took).count(),
                            .resident_mib = resident_mib()};
  if (require(engine.list_queues(), "list_queues").size() != count) throw BenchError("queues are missing");
  return report;
}

void write_queues_report(const QueuesReport& report, const std::filesystem::path& file) {
  const nlohmann::json json = {{"open_seconds", report.open_seconds}, {"resident_mib", report.resident_mib}};
  std::ofstream(file) << json.dump(2) << '\n';
}

QueuesReport read_queues_report(const std::filesystem::path& file) {
  std::ifstream in(file);
  const auto json = nlohmann::json::parse(in, nullptr, false);
  if (json.is_discarded()) throw BenchError("the measuring process left no report");
  return {.open_seconds = json.at("open_seconds"), .resident_mib = json.at("resident_mib")};
}

}  // namespace holdfast::bench
