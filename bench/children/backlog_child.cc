#include "bench/children/backlog_child.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/contenders/engine_queue.h"
#include "bench/harness/comparison.h"
#include "engine/storage/files/ballast.h"

namespace holdfast::bench {
namespace {

constexpr std::size_t kBodyBytes = 1024;
constexpr std::size_t kBatch = 100;
constexpr std::size_t kRounds = 45;
constexpr std::size_t kReferenceMessages = 20'000;  // of one round

// Drains that many messages, whose stamps count from `first` on.
Sample drain_messages(Engine& engine, std::size_t count, std::uint64_t first) {
  std::uint64_t next = first;
  Meter meter;
  meter.start();
  for (std::size_t done = 0; done < count;) {
    const auto deliveries =
        require(engine.receive(kQueue, {.max = std::min(kBatch, count - done)}), "receive");
    if (deliveries.empty()) throw BenchError("receive: there is less than was sent");
    for (const auto& delivery : deliveries) {
      if (stamp_of(delivery.body) != next++) throw BenchError(kChanged);
    }
    require_all(engine.ack_batch(receipts_of(deliveries)), "ack");
    done += deliveries.size();
  }
  meter.stop(count);
  return meter.total();
}

// Drains the backlog from the message `first` on.
void drain_in_turns(Engine& backlog, Engine& reference, std::size_t first, std::size_t count,
                    BacklogReport& report) {
  BodySource bodies(kBodyBytes);
  std::vector<double> ratios;
  std::vector<double> reference_rates;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const std::size_t share = count / (kRounds - round) / kBatch * kBatch;
    const Sample sample = drain_messages(backlog, share, first);
    first += share;
    count -= share;

    fill(reference, kQueue, bodies, kReferenceMessages);
    reference_rates.push_back(
        drain_messages(reference, kReferenceMessages, round * kReferenceMessages).rate());
    ratios.push_back(sample.rate() / reference_rates.back());
    report.drain += sample;
  }
  report.drain_reference = median(std::move(reference_rates));
  report.drain_ratio = median(std::move(ratios));
}

double disk_mib(const std::filesystem::path& directory) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().filename() == Ballast::kName) continue;
    std::error_code gone;  // RocksDB may have removed the file meanwhile
    const auto size = entry.file_size(gone);
    if (!gone) bytes += size;
  }
  return static_cast<double>(bytes) / (1 << 20);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

void fill_backlog(const std::filesystem::path& directory, std::size_t count) {
  Engine engine = open_engine(directory / "engine");
  require(engine.create_queue(kQueue), "create_queue");
  BodySource bodies(kBodyBytes);
  fill(engine, kQueue, bodies, count);
  _exit(0);
}

BacklogReport measure_backlog(const std::filesystem::path& directory, std::size_t count) {
  BacklogReport report;
  const auto start = std::chrono::steady_clock::now();
  Engine engine = open_engine(directory / "engine");
  report.open_seconds = seconds_since(start);
  if (require(engine.describe_queue(kQueue), "describe_queue").counts.ready != count) {
    throw BenchError("the backlog is not what was sent");
  }
  const std::size_t first = count / 10;
  report.drain = drain_messages(engine, first, 0);
  report.resident_mib = peak_resident_mib();

  Engine reference = open_engine(directory / "reference");
  require(reference.create_queue(kQueue), "create_queue");
  drain_in_turns(engine, reference, first, count - first, report);
  report.drained_disk_mib = disk_mib(directory / "engine");
  return report;
}

void write_report(const BacklogReport& report, const std::filesystem::path& file) {
  const nlohmann::json json = {{"open_seconds", report.open_seconds},
                               {"resident_mib", report.resident_mib},
                               {"drained_disk_mib", report.drained_disk_mib},
                               {"messages", report.drain.messages},
                               {"seconds", report.drain.seconds},
                               {"cpu_seconds", report.drain.cpu_seconds},
                               {"allocations", report.drain.allocations},
                               {"drain_reference", report.drain_reference},
                               {"drain_ratio", report.drain_ratio}};
  std::ofstream(file) << json.dump(2) << '\n';
}

BacklogReport read_report(const std::filesystem::path& file) {
  std::ifstream in(file);
  const auto json = nlohmann::json::parse(in, nullptr, false);
  if (json.is_discarded()) throw BenchError("the measuring process left no report");
  return {.open_seconds = json.at("open_seconds"),
          .resident_mib = json.at("resident_mib"),
          .drained_disk_mib = json.at("drained_disk_mib"),
          .drain = {.messages = json.at("messages"),
                    .seconds = json.at("seconds"),
                    .cpu_seconds = json.at("cpu_seconds"),
                    .allocations = json.at("allocations")},
          .drain_reference = json.at("drain_reference"),
          .drain_ratio = json.at("drain_ratio")};
}

}  // namespace holdfast::bench
