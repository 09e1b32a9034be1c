// engine/dead_letters1M[/compacted]/{list,group,filter,group_filtered,reason,reason_number}: milliseconds of
// one call over a million dead letters, as they were written and after a compaction. `reason` and
// `reason_number` look for a text, or a number, that no reason contains, and take as many calls as the search
// needs.
#include <array>

#include "bench/cases/cases.h"
#include "bench/contenders/engine_queue.h"
#include "bench/harness/temp_dir.h"
#include "bench/harness/workload.h"

namespace holdfast::bench {
namespace {

const std::string kName = "engine/dead_letters1M";
const std::string kCompacted = "engine/dead_letters1M/compacted";
constexpr const char* kList = "/list";
constexpr const char* kGroup = "/group";
constexpr const char* kFilter = "/filter";
constexpr const char* kGroupFiltered = "/group_filtered";
constexpr const char* kReason = "/reason";
constexpr const char* kReasonNumber = "/reason_number";
constexpr const char* kDeadLetterQueue = "bench-dead";
constexpr std::size_t kDeadLetters = 1'000'000;
constexpr std::size_t kPage = 100;
constexpr int kCalls = 50;
constexpr Workload kWorkload{.body_bytes = 100, .batch = 1000, .durability = Durability::kBuffered};

// The dead letters died of 50 kinds of failures, some frequent and some rare, by three versions of the
// consumer.
void make_dead_letters(Engine& engine) {
  BodySource bodies(kWorkload.body_bytes);
  require(engine.create_queue(kQueue, {.dead_letters = {.queue = kDeadLetterQueue}}, MissingQueues::kCreate),
          "create_queue");
  const std::array<std::string, 5> categories{"timeout", "validation", "schema", "auth", "other"};
  for (std::size_t dead = 0, batch = 0; dead < kDeadLetters; ++batch) {
    fill(engine, kQueue, bodies, kWorkload.batch);
    const auto deliveries = require(
        engine.receive(kQueue, {.max = kWorkload.batch,
                                .consumer = {.instance = "w1", .version = "2." + std::to_string(batch % 3)}}),
        "receive");
    const std::size_t kind = batch % 50;
    require_all(engine.reject_batch(
                    receipts_of(deliveries),
                    {.category = categories[kind % categories.size()],
                     .reason = std::string(1 + kind / 5, 'x') + " failed in order " + std::to_string(batch),
                     .code = kind == 7 ? "rare" : "E1"},
                    {.durability = Durability::kBuffered}),
                "reject");
    dead += deliveries.size();
  }
}

// Measures the mean of several calls in milliseconds.
template <class Call>
void measure(Run& run, const std::string& name, Call&& call, int calls = kCalls) {
  if (!run.wanted(name)) return;
  Meter meter;
  meter.start();
  for (int i = 0; i < calls; ++i) call(i);
  meter.stop(static_cast<std::uint64_t>(calls));
  run.add({.name = name, .value = meter.total().seconds * 1000 / calls, .unit = "ms"});
}

void look_for_a_reason(Engine& engine, const char* part) {
  ListDeadLettersOptions options{.filter = {.reason = part}, .max = kPage};
  do {
    const auto page = require(engine.list_dead_letters(kDeadLetterQueue, options), "list");
    if (!page.items.empty()) throw BenchError("a reason was found that is not there");
    options.after = page.next;
  } while (options.after);
}

void measure_all(Engine& engine, Run& run, const std::string& name) {
  std::optional<DeadLetterCursor> after;
  measure(run, name + kList, [&](int) {
    after = require(engine.list_dead_letters(kDeadLetterQueue, {.after = after, .max = kPage}), "list").next;
  });
  measure(run, name + kGroup, [&](int) {
    const auto groups = require(engine.group_dead_letters(kDeadLetterQueue), "group");
    if (groups.total != kDeadLetters) throw BenchError("group counted " + std::to_string(groups.total));
  });
  measure(run, name + kFilter, [&](int call) {
    const DeadLetterFilter filter{.code = "rare", .consumer_version = "2." + std::to_string(call % 3)};
    const auto page = require(
        engine.list_dead_letters(kDeadLetterQueue, {.filter = filter, .max = kPage, .newest_first = true}),
        "list");
    if (page.items.size() != kPage) throw BenchError("the filter found " + std::to_string(page.items.size()));
  });
  measure(run, name + kGroupFiltered, [&](int) {
    const auto groups =
        require(engine.group_dead_letters(kDeadLetterQueue, {.by = DeadLetterGrouping::kConsumerVersion,
                                                             .filter = {.category = "timeout"}}),
                "group");
    if (groups.groups.size() != 3 || !groups.complete) throw BenchError("the groups are not complete");
  });
  measure(
      run, name + kReason, [&](int) { look_for_a_reason(engine, "no such text"); }, 3);
  measure(
      run, name + kReasonNumber, [&](int) { look_for_a_reason(engine, "order 4711471147"); }, 3);
}

void run_case(benchmark::State& state, Run& run) {
  const TempDir directory(run.settings().data);
  Engine engine = open_engine(directory.path() / "engine");
  make_dead_letters(engine);
  while (state.KeepRunning()) {
    measure_all(engine, run, kName);
    require(engine.compact(), "compact");
    measure_all(engine, run, kCompacted);
  }
}

std::vector<std::string> lines() {
  std::vector<std::string> names;
  for (const std::string& name : {kName, kCompacted}) {
    for (const char* what : {kList, kGroup, kFilter, kGroupFiltered, kReason, kReasonNumber})
      names.push_back(name + what);
  }
  return names;
}

}  // namespace

std::vector<Case> dead_letters_cases() {
  return {{.name = kName, .lines = lines(), .once = true, .body = run_case}};
}

}  // namespace holdfast::bench
