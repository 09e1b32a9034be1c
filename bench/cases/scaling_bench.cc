// scaling/...: what the plots in docs/ show. Only with --scaling.
//   scaling/backlog/N: lifecycles while N messages wait in front of each one sent
//   scaling/batch/N: lifecycles in batches of N
//   scaling/threads/N: N producers and N consumers, one message a call
#include "bench/cases/cases.h"
#include "bench/contenders/callers.h"
#include "bench/contenders/engine_queue.h"
#include "bench/contenders/raw_rocksdb.h"
#include "bench/harness/comparison.h"
#include "bench/harness/temp_dir.h"

namespace holdfast::bench {
namespace {

constexpr std::size_t kBodyBytes = 1024;

// A received message is older than one that is sent by the size of the backlog.
Sample run_behind_backlog(EngineQueue& queue, BodySource& bodies, std::chrono::duration<double> duration) {
  constexpr std::size_t kBatch = 100;
  Meter meter;
  while (meter.total().seconds < duration.count()) {
    Bodies batch = bodies.next(kBatch);
    meter.start();
    queue.run(std::move(batch));
    meter.stop(kBatch);
  }
  return meter.total();
}

void run_backlog(const std::string& name, std::size_t backlog, benchmark::State& state, Run& run) {
  const TempDir directory(run.settings().data);
  Engine engine = open_engine(directory.path());
  BodySource bodies(kBodyBytes);
  EngineQueue queue(engine, kQueue, {.body_bytes = kBodyBytes, .durability = Durability::kBuffered});
  fill(engine, kQueue, bodies, backlog);
  compare(state, run, name, [&](auto duration) { return run_behind_backlog(queue, bodies, duration); }, {});
}

void run_batch(const std::string& name, const Workload& workload, benchmark::State& state, Run& run) {
  const TempDir directory(run.settings().data);
  Engine engine = open_engine(directory.path() / "engine");
  EngineQueue queue(engine, kQueue, workload);
  RawRocksdb raw(directory.path() / "raw", RowPer::kBatch, workload);
  BodySource bodies(kBodyBytes);
  const auto slice_of = [&](Lifecycle& lifecycle) -> Slice {
    return [&](auto duration) { return run_lifecycles(lifecycle, bodies, workload.batch, duration); };
  };
  compare(state, run, name, slice_of(queue), {{name, "raw RocksDB, a row per batch", slice_of(raw)}});
}

void run_callers(const std::string& name, std::size_t callers, benchmark::State& state, Run& run) {
  const TempDir directory(run.settings().data);
  Engine engine = open_engine(directory.path());
  require(engine.create_queue(kQueue), "create_queue");
  compare(state, run, name, [&](auto duration) { return run_threads(engine, callers, kBodyBytes, duration); },
          {});
}

}  // namespace

std::vector<Case> scaling_cases() {
  std::vector<Case> cases;
  const auto add = [&](const std::string& name, auto run_case) {
    cases.push_back({.name = name, .set = Set::kScaling, .body = [=](auto& state, Run& run) {
                       run_case(name, state, run);
                     }});
  };
  for (std::size_t backlog = 1'000; backlog <= 10'000'000; backlog *= 10) {
    add("scaling/backlog/" + std::to_string(backlog),
        [=](const auto& name, auto& state, Run& run) { run_backlog(name, backlog, state, run); });
  }
  for (const auto durability : {Durability::kFsync, Durability::kBuffered}) {
    for (const std::size_t batch : {1, 3, 10, 30, 100, 300, 1000}) {
      const Workload workload{.body_bytes = kBodyBytes, .batch = batch, .durability = durability};
      add("scaling/batch/" + std::string(durability_name(durability)) + "/" + std::to_string(batch),
          [=](const auto& name, auto& state, Run& run) { run_batch(name, workload, state, run); });
    }
  }
  for (std::size_t callers = 1; callers <= 64; callers *= 2) {
    add("scaling/threads/" + std::to_string(callers),
        [=](const auto& name, auto& state, Run& run) { run_callers(name, callers, state, run); });
  }
  return cases;
}

}  // namespace holdfast::bench
