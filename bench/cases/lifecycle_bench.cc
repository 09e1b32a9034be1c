// engine/lifecycle/SIZE/batchN/DURABILITY: one caller sends, receives and acks in lockstep, beside raw
// RocksDB. engine/lifecycle_vs_row_per_message/...: the run beside raw RocksDB with a row per message.
#include "bench/cases/cases.h"
#include "bench/contenders/engine_queue.h"
#include "bench/contenders/raw_rocksdb.h"
#include "bench/harness/comparison.h"
#include "bench/harness/temp_dir.h"

namespace holdfast::bench {
namespace {

std::string path_of(const Workload& workload) {
  return size_name(workload.body_bytes) + "/batch" + std::to_string(workload.batch) + "/" +
         std::string(durability_name(workload.durability));
}

std::string batch_line(const Workload& workload) { return "engine/lifecycle/" + path_of(workload); }
std::string message_line(const Workload& workload) {
  return "engine/lifecycle_vs_row_per_message/" + path_of(workload);
}

void run_case(const Workload& workload, benchmark::State& state, Run& run) {
  const TempDir directory(run.settings().data);
  BodySource bodies(workload.body_bytes);
  const auto slice_of = [&](Lifecycle& lifecycle) -> Slice {
    return [&](auto duration) { return run_lifecycles(lifecycle, bodies, workload.batch, duration); };
  };

  Engine engine = open_engine(directory.path() / "engine");
  EngineQueue queue(engine, kQueue, workload);
  RawRocksdb batch_rows(directory.path() / "row-per-batch", RowPer::kBatch, workload);
  RawRocksdb message_rows(directory.path() / "row-per-message", RowPer::kMessage, workload);
  std::vector<Reference> references;
  if (run.wanted(batch_line(workload))) {
    references.push_back({batch_line(workload), "raw RocksDB, a row per batch", slice_of(batch_rows)});
  }
  if (run.wanted(message_line(workload))) {
    references.push_back({message_line(workload), "raw RocksDB, a row per message", slice_of(message_rows)});
  }
  compare(state, run, batch_line(workload), slice_of(queue), references);
}

}  // namespace

std::vector<Case> lifecycle_cases() {
  std::vector<Case> cases;
  for (const std::size_t body_bytes : {1024, 100}) {
    for (const std::size_t batch : {1, 10, 100}) {
      for (const auto durability : {Durability::kFsync, Durability::kBuffered}) {
        const Workload workload{.body_bytes = body_bytes, .batch = batch, .durability = durability};
        cases.push_back({.name = batch_line(workload),
                         .lines = {batch_line(workload), message_line(workload)},
                         .body = [workload](auto& state, Run& run) { run_case(workload, state, run); }});
      }
    }
  }
  return cases;
}

}  // namespace holdfast::bench
