// engine/scheduled1M: a million messages of 1 KiB that were scheduled for the same second come due.
// engine/scheduled1M/longest_step_ms: the duration of the longest step of that.
#include <algorithm>
#include <chrono>

#include "bench/cases/cases.h"
#include "bench/contenders/engine_queue.h"
#include "bench/harness/temp_dir.h"

namespace holdfast::bench {
namespace {

constexpr const char* kRate = "engine/scheduled1M";
constexpr const char* kLongestStep = "engine/scheduled1M/longest_step_ms";
constexpr std::size_t kMessages = 1'000'000;
constexpr std::size_t kBodyBytes = 1024;
constexpr std::size_t kBatch = 1000;
constexpr Duration kDelay = std::chrono::hours(1);

// This clock stands still until it is set.
class SetClock final : public Clock {
 public:
  Timestamp now() const override { return now_; }
  Duration steady() const override { return now_.time_since_epoch(); }
  void set(Timestamp now) { now_ = now; }

 private:
  Timestamp now_ = system_clock().now();
};

void schedule_all(Engine& engine, Timestamp due) {
  BodySource bodies(kBodyBytes);
  for (std::size_t sent = 0; sent < kMessages; sent += kBatch) {
    std::vector<Message> messages = to_messages(bodies.next(kBatch));
    // The times are spread over the second, as those of many callers would be.
    for (Message& message : messages) message.visible_at = due + std::chrono::microseconds(sent);
    require_all(engine.send_batch(kQueue, std::move(messages), {.durability = Durability::kBuffered}),
                "send");
  }
}

struct Entered {
  Sample sample;
  double longest_step_ms = 0;
};

Entered let_enter(Engine& engine, const Clock& clock) {
  Meter meter;
  Entered entered;
  meter.start();
  for (bool more = true; more;) {
    const auto started = std::chrono::steady_clock::now();
    more = engine.run_due() <= clock.now();
    const std::chrono::duration<double, std::milli> step = std::chrono::steady_clock::now() - started;
    entered.longest_step_ms = std::max(entered.longest_step_ms, step.count());
  }
  const auto ready = require(engine.describe_queue(kQueue), "describe_queue").counts.ready;
  meter.stop(ready);
  if (ready != kMessages) throw BenchError("only " + std::to_string(ready) + " came due");
  entered.sample = meter.total();
  return entered;
}

void run_case(benchmark::State& state, Run& run) {
  const TempDir directory(run.settings().data);
  SetClock clock;
  Engine engine =
      require(Engine::open(directory.path() / "engine", {.clock = &clock, .background = false}), "open");
  require(engine.create_queue(kQueue), "create_queue");
  const double resident_before = resident_mib();
  schedule_all(engine, clock.now() + kDelay);
  state.counters["resident_growth_mib"] = resident_mib() - resident_before;
  clock.set(clock.now() + kDelay + std::chrono::seconds(1));
  Entered entered;
  while (state.KeepRunning()) {
    entered = let_enter(engine, clock);
    state.SetIterationTime(entered.sample.seconds);
  }
  state.counters["messages_per_second"] = entered.sample.rate();
  if (run.wanted(kRate)) {
    run.add({.name = kRate,
             .value = entered.sample.rate(),
             .cpu_microseconds = entered.sample.cpu_microseconds(),
             .allocations = entered.sample.allocations_per_message()});
  }
  if (run.wanted(kLongestStep)) {
    run.add({.name = kLongestStep, .value = entered.longest_step_ms, .unit = "ms"});
  }
}

}  // namespace

std::vector<Case> schedule_cases() {
  return {{.name = kRate, .lines = {kRate, kLongestStep}, .once = true, .body = run_case}};
}

}  // namespace holdfast::bench
