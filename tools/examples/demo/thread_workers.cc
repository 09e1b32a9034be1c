#include <fmt/format.h>

#include "tools/examples/demo/worker.h"
#include "tools/examples/demo/workers.h"

namespace holdfast::demo {
namespace {

// An exception that unwinds the whole stack of a worker thread, as a crash takes down a process: nothing that
// the worker had in flight is settled.
struct Crash {};

}  // namespace

std::string ledger_name(std::size_t worker, bool relaxed) {
  return fmt::format("{}-worker-{}", relaxed ? "relaxed" : "strict", worker);
}

Consumer consumer_of(std::size_t worker, bool relaxed) {
  return {.instance = fmt::format("worker-{}", worker), .version = relaxed ? "2" : "1"};
}

ThreadWorkers::ThreadWorkers(WorkersOptions options, Broker& broker)
    : options_(std::move(options)), broker_(broker) {}

ThreadWorkers::~ThreadWorkers() { stop(); }

Result<void> ThreadWorkers::start(bool relaxed) {
  stop_ = false;
  for (std::size_t number = 1; number <= options_.size; ++number) {
    threads_.emplace_back([this, number, relaxed] {
      auto worked = work(number, relaxed);
      const std::lock_guard lock(mutex_);
      if (!worked && outcome_) outcome_ = worked;
    });
  }
  return {};
}

Result<void> ThreadWorkers::work(std::size_t number, bool relaxed) {
  auto ledger = Ledger::open(options_.ledgers / ledger_name(number, relaxed));
  if (!ledger) return tl::unexpected(ledger.error());
  const WorkerOptions options{.consumer = consumer_of(number, relaxed),
                              .rules = {.https_only = !relaxed, .crash = [] { throw Crash{}; }},
                              .stop = [this] { return stop_.load(); }};
  while (!stop_) {
    try {
      if (auto worked = Worker(broker_, *ledger, options).run(); !worked) return worked;
    } catch (const Crash&) {
      ++crashes_;
    }
  }
  return {};
}

Result<void> ThreadWorkers::tend() {
  const std::lock_guard lock(mutex_);
  return outcome_;
}

void ThreadWorkers::stop() {
  stop_ = true;
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace holdfast::demo
