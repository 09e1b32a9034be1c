// This benchmark is engine/find1M[/compacted]/{attribute,correlation_id,scan,body}: milliseconds of one
// search for a customer's dead letters among a million in 20 queues. The search is by an attribute and by a
// correlation id that the queues search by, by an attribute that they do not search by, and by a part of the
// body. `scan` divided by `attribute` is what declaring an attribute gains.
#include <string>
#include <vector>

#include "bench/cases/cases.h"
#include "bench/contenders/engine_queue.h"
#include "bench/harness/temp_dir.h"
#include "bench/harness/workload.h"

namespace holdfast::bench {
namespace {

const std::string kName = "engine/find1M";
constexpr const char* kAttribute = "/attribute";
constexpr const char* kCorrelationId = "/correlation_id";
constexpr const char* kScan = "/scan";
constexpr const char* kBody = "/body";
constexpr std::size_t kDeadLetters = 1'000'000;
constexpr std::size_t kQueues = 20;
constexpr std::size_t kBatch = 1000;
constexpr std::size_t kCustomers = 100'000;  // so each has about ten dead letters
constexpr std::size_t kOfACustomer = kDeadLetters / kCustomers;

std::string source(std::size_t number) { return "bench" + std::to_string(number); }

// Makes dead letters of the customers in turn. Those of one customer lie in different queues.
void die(Engine& engine, std::size_t first) {
  const std::string queue = source((first / kBatch + first / kCustomers) % kQueues);
  std::vector<Message> messages(kBatch);
  for (std::size_t i = 0; i < kBatch; ++i) {
    const std::string customer = std::to_string((first + i) % kCustomers);
    messages[i] = {.body = R"({"order": )" + std::to_string(first + i) + R"(, "customer": )" + customer + "}",
                   .attributes = {{"customer", customer},
                                  {"unsearched", customer},
                                  {"correlation-id", "c-" + std::to_string(first + i)}}};
  }
  require_all(engine.send_batch(queue, std::move(messages), {.durability = Durability::kBuffered}), "send");
  const auto deliveries = require(engine.receive(queue, {.max = kBatch}), "receive");
  require_all(engine.reject_batch(receipts_of(deliveries), {.category = "timeout", .reason = "late"},
                                  {.durability = Durability::kBuffered}),
              "reject");
}

void make_dead_letters(Engine& engine) {
  for (std::size_t i = 0; i < kQueues; ++i) {
    const std::string dead = source(i) + "-dlq";
    require(
        engine.create_queue(dead, {.dead_letters = {.searched_attributes = {"customer", "correlation-id"}}}),
        "create_queue");
    require(engine.create_queue(source(i), {.dead_letters = {.queue = dead}}, MissingQueues::kCreate),
            "create_queue");
  }
  for (std::size_t first = 0; first < kDeadLetters; first += kBatch) die(engine, first);
}

void find(Engine& engine, const DeadLetterFilter& filter, std::size_t expected) {
  FindDeadLettersOptions options{.filter = filter};
  std::size_t found = 0;
  do {
    const auto page = require(engine.find_dead_letters(options), "find");
    found += page.items.size();
    options.after = page.next;
  } while (options.after);
  if (found != expected) throw BenchError("found " + std::to_string(found));
}

// Measures the mean of several searches in milliseconds.
template <class Filter>
void measure(Engine& engine, Run& run, const std::string& name, int calls, std::size_t expected,
             Filter filter) {
  if (!run.wanted(name)) return;
  Meter meter;
  meter.start();
  for (int i = 0; i < calls; ++i) find(engine, filter(std::to_string(4711 + 13 * i)), expected);
  meter.stop(static_cast<std::uint64_t>(calls));
  run.add({.name = name, .value = meter.total().seconds * 1000 / calls, .unit = "ms"});
}

void measure_all(Engine& engine, Run& run, const std::string& name) {
  measure(engine, run, name + kAttribute, 50, kOfACustomer, [](const std::string& number) {
    return DeadLetterFilter{.attributes = {{"customer", number}}};
  });
  measure(engine, run, name + kCorrelationId, 50, 1,
          [](const std::string& number) { return DeadLetterFilter{.correlation_id = "c-" + number}; });
  measure(engine, run, name + kScan, 1, kOfACustomer, [](const std::string& number) {
    return DeadLetterFilter{.attributes = {{"unsearched", number}}};
  });
  measure(engine, run, name + kBody, 1, kOfACustomer, [](const std::string& number) {
    return DeadLetterFilter{.body = R"("customer": )" + number + "}"};
  });
}

void run_case(benchmark::State& state, Run& run) {
  const TempDir directory(run.settings().data);
  Engine engine = open_engine(directory.path() / "engine");
  make_dead_letters(engine);
  while (state.KeepRunning()) {
    measure_all(engine, run, kName);
    require(engine.compact(), "compact");
    measure_all(engine, run, kName + "/compacted");
  }
}

std::vector<std::string> lines() {
  std::vector<std::string> names;
  for (const std::string& name : {kName, kName + "/compacted"}) {
    for (const char* what : {kAttribute, kCorrelationId, kScan, kBody}) names.push_back(name + what);
  }
  return names;
}

}  // namespace

std::vector<Case> find_dead_letters_cases() {
  return {{.name = kName, .lines = lines(), .once = true, .body = run_case}};
}

}  // namespace holdfast::bench
