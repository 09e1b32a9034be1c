// engine/redrive1M: one call brings a million dead letters of 1 KiB back. The reference moves as many bytes
// between two key ranges of raw RocksDB, with a row per batch and one sync at the end.
#include "bench/cases/cases.h"
#include "bench/contenders/engine_queue.h"
#include "bench/contenders/raw_rocksdb.h"
#include "bench/harness/comparison.h"
#include "bench/harness/temp_dir.h"

namespace holdfast::bench {
namespace {

constexpr const char* kName = "engine/redrive1M";
constexpr const char* kDeadLetterQueue = "bench-dead";
constexpr std::size_t kMessages = 1'000'000;
constexpr Workload kWorkload{.body_bytes = 1024, .batch = 100, .durability = Durability::kBuffered};

void make_dead_letters(Engine& engine) {
  BodySource bodies(kWorkload.body_bytes);
  require(engine.create_queue(kQueue, {.dead_letters = {.queue = kDeadLetterQueue}}, MissingQueues::kCreate),
          "create_queue");
  for (std::size_t dead = 0; dead < kMessages;) {
    fill(engine, kQueue, bodies, kWorkload.batch);
    const auto deliveries = require(engine.receive(kQueue, {.max = kWorkload.batch}), "receive");
    require_all(
        engine.reject_batch(receipts_of(deliveries), {.category = "validation", .reason = "too small"},
                            {.durability = Durability::kBuffered}),
        "reject");
    dead += deliveries.size();
  }
}

Sample redrive(Engine& engine) {
  Meter meter;
  meter.start();
  const auto redriven = require(engine.redrive(kDeadLetterQueue), "redrive");
  meter.stop(redriven.moved);
  if (redriven.moved != kMessages) throw BenchError("redrive moved " + std::to_string(redriven.moved));
  return meter.total();
}

Sample move_raw(const std::filesystem::path& directory) {
  RawRocksdb raw(directory, RowPer::kBatch, kWorkload);
  BodySource bodies(kWorkload.body_bytes);
  for (std::size_t sent = 0; sent < kMessages; sent += kWorkload.batch)
    raw.send(bodies.next(kWorkload.batch));
  Meter meter;
  meter.start();
  const std::uint64_t rows = raw.move_all();
  meter.stop(rows * kWorkload.batch);
  return meter.total();
}

void run_case(benchmark::State& state, Run& run) {
  const TempDir directory(run.settings().data);
  const Sample reference = move_raw(directory.path() / "raw");
  Engine engine = open_engine(directory.path() / "engine");
  make_dead_letters(engine);

  reset_peak_resident();
  const double resident_before = resident_mib();
  Sample sample;
  while (state.KeepRunning()) {
    sample = redrive(engine);
    state.SetIterationTime(sample.seconds);
  }
  state.counters["messages_per_second"] = sample.rate();
  state.counters["resident_growth_mib"] = peak_resident_mib() - resident_before;
  run.add({.name = kName,
           .value = sample.rate(),
           .reference = "raw RocksDB, a row per batch, moved",
           .reference_value = reference.rate(),
           .ratio = sample.rate() / reference.rate(),
           .cpu_microseconds = sample.cpu_microseconds(),
           .allocations = sample.allocations_per_message()});
}

}  // namespace

std::vector<Case> redrive_cases() { return {{.name = kName, .once = true, .body = run_case}}; }

}  // namespace holdfast::bench
