// engine/queues10k/{open_seconds,resident_mib}: ten thousand idle queues, opened by a process of their own.
// engine/spread1000: a load spread over a thousand queues, beside the load on one queue.
#include <atomic>
#include <future>
#include <thread>

#include "bench/cases/cases.h"
#include "bench/children/child.h"
#include "bench/children/queues_child.h"
#include "bench/contenders/engine_queue.h"
#include "bench/harness/comparison.h"
#include "bench/harness/temp_dir.h"

namespace holdfast::bench {
namespace {

constexpr std::size_t kIdleQueues = 10'000;
constexpr const char* kOpenSeconds = "engine/queues10k/open_seconds";
constexpr const char* kResident = "engine/queues10k/resident_mib";

void run_idle(benchmark::State& state, Run& run) {
  const TempDir directory(run.settings().data);
  const std::string path = (directory.path() / "engine").string();
  const std::string file = (directory.path() / "report.json").string();
  run_child({"create-queues", path, std::to_string(kIdleQueues)});
  while (state.KeepRunning()) {
    run_child({"measure-queues", path, std::to_string(kIdleQueues), file});
    const QueuesReport report = read_queues_report(file);
    state.SetIterationTime(report.open_seconds);
    state.counters["resident_mib"] = report.resident_mib;
    if (run.wanted(kOpenSeconds)) run.add({.name = kOpenSeconds, .value = report.open_seconds, .unit = "s"});
    if (run.wanted(kResident)) run.add({.name = kResident, .value = report.resident_mib, .unit = "MiB"});
  }
}

constexpr std::size_t kSpreadQueues = 1000;
constexpr std::size_t kThreads = 8;
constexpr std::size_t kBatch = 10;
constexpr std::size_t kBodyBytes = 1024;

std::string spread_name(std::size_t queue) { return "spread-" + std::to_string(queue); }

// Each thread sends, receives and acknowledges batches on its share of `queues`, one queue after the other.
Sample run_spread(Engine& engine, std::size_t queues, std::chrono::duration<double> duration) {
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> acked = 0;
  const auto work = [&](std::size_t thread) {
    BodySource bodies(kBodyBytes);
    for (std::size_t turn = thread; !stop; turn += kThreads) {
      const std::string queue = spread_name(turn % queues);
      require_all(engine.send_batch(queue, to_messages(bodies.next(kBatch))), "send");
      const auto receipts = receipts_of(require(engine.receive(queue, {.max = kBatch}), "receive"));
      require_all(engine.ack_batch(receipts), "ack");
      acked.fetch_add(receipts.size(), std::memory_order_relaxed);
    }
  };
  Meter meter;
  std::vector<std::future<void>> threads;
  meter.start();
  for (std::size_t i = 0; i < kThreads; ++i) threads.push_back(std::async(std::launch::async, work, i));
  std::this_thread::sleep_for(duration);
  meter.stop(acked);
  stop = true;
  for (auto& thread : threads) thread.get();
  return meter.total();
}

void run_spread_case(benchmark::State& state, Run& run) {
  const TempDir directory(run.settings().data);
  Engine spread = open_engine(directory.path() / "spread");
  for (std::size_t i = 0; i < kSpreadQueues; ++i)
    require(spread.create_queue(spread_name(i)), "create_queue");
  Engine one = open_engine(directory.path() / "one");
  require(one.create_queue(spread_name(0)), "create_queue");
  compare(state, run, "engine/spread1000",
          [&](auto duration) { return run_spread(spread, kSpreadQueues, duration); },
          {{"engine/spread1000", "the same load on one queue",
            [&](auto duration) { return run_spread(one, 1, duration); }}});
}

}  // namespace

std::vector<Case> queues_cases() {
  return {{.name = "engine/queues10k", .lines = {kOpenSeconds, kResident}, .once = true, .body = run_idle},
          {.name = "engine/spread1000", .body = run_spread_case}};
}

}  // namespace holdfast::bench
