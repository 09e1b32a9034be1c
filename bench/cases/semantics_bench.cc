// engine/{ordered,fair,dedup,priorities}/1KiB/batch10/buffered: what a queue option costs, beside a plain
// queue of the same engine.
#include "bench/cases/cases.h"
#include "bench/contenders/engine_queue.h"
#include "bench/harness/comparison.h"
#include "bench/harness/temp_dir.h"

namespace holdfast::bench {
namespace {

constexpr std::uint64_t kGroups = 64;
constexpr std::uint32_t kLevels = 8;

struct Semantics {
  std::string name;
  QueueOptions options;
  Shape shape;  // makes each message, by its number
};

std::vector<Semantics> semantics() {
  const Shape grouped = [](Message& message, std::uint64_t number) {
    message.group = std::to_string(number % kGroups);
  };
  return {{"ordered", {.grouping = {.mode = Grouping::kOrdered}}, grouped},
          {"fair", {.grouping = {.mode = Grouping::kFair}}, grouped},
          {"dedup",
           {.deduplication = {.mode = Deduplication::kById}},
           [](Message& message, std::uint64_t number) { message.deduplication_id = std::to_string(number); }},
          {"priorities", {.priority = {.levels = kLevels}}, [](Message& message, std::uint64_t number) {
             message.priority = static_cast<std::uint32_t>(number % kLevels);
           }}};
}

std::string line_of(const Semantics& kind) { return "engine/" + kind.name + "/1KiB/batch10/buffered"; }

void run_case(const Semantics& kind, benchmark::State& state, Run& run) {
  const TempDir directory(run.settings().data);
  const Workload workload{.body_bytes = 1024, .batch = 10, .durability = Durability::kBuffered};
  BodySource bodies(workload.body_bytes);
  const auto slice_of = [&](Lifecycle& lifecycle) -> Slice {
    return [&](auto duration) { return run_lifecycles(lifecycle, bodies, workload.batch, duration); };
  };
  Engine engine = open_engine(directory.path() / "engine");
  EngineQueue subject(engine, kind.name, workload, kind.options, kind.shape);
  EngineQueue plain(engine, kQueue, workload);
  compare(state, run, line_of(kind), slice_of(subject), {{line_of(kind), "a plain queue", slice_of(plain)}});
}

}  // namespace

std::vector<Case> semantics_cases() {
  std::vector<Case> cases;
  for (const Semantics& kind : semantics()) {
    cases.push_back(
        {.name = line_of(kind), .body = [kind](auto& state, Run& run) { run_case(kind, state, run); }});
  }
  return cases;
}

}  // namespace holdfast::bench
