// engine/backlog10M/{drain,open_seconds,resident_mib}: ten million messages of 1 KiB, left behind by a
// process that ended without closing.
#include "bench/cases/cases.h"
#include "bench/children/backlog_child.h"
#include "bench/children/child.h"
#include "bench/harness/temp_dir.h"
#include "bench/harness/workload.h"

namespace holdfast::bench {
namespace {

constexpr std::size_t kMessages = 10'000'000;
constexpr std::uintmax_t kDiskBytes = std::uintmax_t{30} << 30;  // twice the live bytes, and the reference
constexpr const char* kDrain = "engine/backlog10M/drain";
constexpr const char* kOpenSeconds = "engine/backlog10M/open_seconds";
constexpr const char* kResident = "engine/backlog10M/resident_mib";

void require_space(const std::filesystem::path& directory) {
  if (std::filesystem::space(directory).available < kDiskBytes) {
    throw BenchError("needs 30 GiB free in " + directory.string() + " (--quick leaves this out)");
  }
}

void add_lines(const BacklogReport& report, Run& run) {
  if (run.wanted(kDrain)) {
    run.add({.name = kDrain,
             .value = report.drain.rate(),
             .reference = "the same of an empty queue",
             .reference_value = report.drain_reference,
             .ratio = report.drain_ratio,
             .cpu_microseconds = report.drain.cpu_microseconds(),
             .allocations = report.drain.allocations_per_message()});
  }
  if (run.wanted(kOpenSeconds)) {
    run.add({.name = kOpenSeconds, .value = report.open_seconds, .unit = "s"});
  }
  if (run.wanted(kResident)) run.add({.name = kResident, .value = report.resident_mib, .unit = "MiB"});
}

void run_case(benchmark::State& state, Run& run) {
  const TempDir directory(run.settings().data);
  require_space(directory.path());
  const std::string path = directory.path().string();
  const std::string count = std::to_string(kMessages);
  const std::string file = (directory.path() / "report.json").string();
  run_child({"fill-backlog", path, count});
  while (state.KeepRunning()) {
    run_child({"measure-backlog", path, count, file});
    const BacklogReport report = read_report(file);
    state.SetIterationTime(report.drain.seconds);
    state.counters["messages_per_second"] = report.drain.rate();
    state.counters["ratio"] = report.drain_ratio;
    state.counters["open_seconds"] = report.open_seconds;
    state.counters["resident_mib"] = report.resident_mib;
    state.counters["drained_disk_mib"] = report.drained_disk_mib;
    add_lines(report, run);
  }
}

}  // namespace

std::vector<Case> backlog_cases() {
  return {{.name = "engine/backlog10M",
           .lines = {kDrain, kOpenSeconds, kResident},
           .set = Set::kLarge,
           .once = true,
           .body = run_case}};
}

}  // namespace holdfast::bench
