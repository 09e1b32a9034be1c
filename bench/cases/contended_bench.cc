// engine/contended/NxN/batch1/fsync: N producers and N consumers, each on a thread, with one message a call,
// beside one producer and one consumer. engine/callbacks/64x64/batch1/fsync: as many callers that have no
// threads.
#include "bench/cases/cases.h"
#include "bench/contenders/callbacks.h"
#include "bench/contenders/callers.h"
#include "bench/contenders/engine_queue.h"
#include "bench/harness/comparison.h"
#include "bench/harness/temp_dir.h"

namespace holdfast::bench {
namespace {

constexpr std::size_t kBodyBytes = 1024;

using Callers = Sample (*)(Engine&, std::size_t callers, std::size_t body_bytes,
                           std::chrono::duration<double>);

void run_case(const std::string& name, std::size_t callers, Callers run_callers, benchmark::State& state,
              Run& run) {
  const TempDir directory(run.settings().data);
  Engine engine = open_engine(directory.path());
  require(engine.create_queue(kQueue), "create_queue");
  compare(state, run, name, [&](auto duration) { return run_callers(engine, callers, kBodyBytes, duration); },
          {{name, "1 producer and 1 consumer",
            [&](auto duration) { return run_threads(engine, 1, kBodyBytes, duration); }}});
}

Case make_case(const std::string& name, std::size_t callers, Callers run_callers) {
  return {.name = name,
          .body = [=](auto& state, Run& run) { run_case(name, callers, run_callers, state, run); }};
}

}  // namespace

std::vector<Case> contended_cases() {
  return {make_case("engine/contended/8x8/batch1/fsync", 8, run_threads),
          make_case("engine/contended/64x64/batch1/fsync", 64, run_threads),
          make_case("engine/callbacks/64x64/batch1/fsync", 64, run_callbacks)};
}

}  // namespace holdfast::bench
