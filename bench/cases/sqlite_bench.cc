// This benchmark is engine/sqlite/1KiB/batch100/DURABILITY: the lifecycle beside SQLite as an embedded queue.
#include "bench/cases/cases.h"
#include "bench/contenders/engine_queue.h"
#include "bench/contenders/sqlite_queue.h"
#include "bench/harness/comparison.h"
#include "bench/harness/temp_dir.h"

namespace holdfast::bench {
namespace {

void run_case(const std::string& name, const Workload& workload, benchmark::State& state, Run& run) {
  const TempDir directory(run.settings().data);
  BodySource bodies(workload.body_bytes);
  const auto slice_of = [&](Lifecycle& lifecycle) -> Slice {
    return [&](auto duration) { return run_lifecycles(lifecycle, bodies, workload.batch, duration); };
  };
  Engine engine = open_engine(directory.path() / "engine");
  EngineQueue queue(engine, kQueue, workload);
  SqliteQueue sqlite(directory.path() / "queue.sqlite", workload);
  compare(state, run, name, slice_of(queue), {{name, "SQLite, WAL mode", slice_of(sqlite)}});
}

}  // namespace

std::vector<Case> sqlite_cases() {
  std::vector<Case> cases;
  for (const auto durability : {Durability::kFsync, Durability::kBuffered}) {
    const Workload workload{.durability = durability};
    const std::string name = "engine/sqlite/1KiB/batch100/" + std::string(durability_name(durability));
    cases.push_back(
        {.name = name, .body = [=](auto& state, Run& run) { run_case(name, workload, state, run); }});
  }
  return cases;
}

}  // namespace holdfast::bench
