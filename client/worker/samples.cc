// samples() names a worker's numbers as Prometheus' conventions want: base units, totals that end in _total,
// and one label for what tells samples of a name apart.
#include "holdfast/worker_samples.h"

#include <chrono>

namespace holdfast {
namespace {

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

class Samples {
 public:
  explicit Samples(std::string_view queue) : queue_(queue) {}

  void add(std::string_view name, std::string_view help, bool counter, double value) {
    samples_.push_back({name, help, counter, {{"queue", queue_}}, value});
  }
  void add(std::string_view name, std::string_view help, bool counter, std::string_view label,
           std::string_view of, double value) {
    add(name, help, counter, value);
    samples_.back().labels.emplace_back(label, of);
  }

  std::vector<WorkerSample> take() && { return std::move(samples_); }

 private:
  const std::string queue_;
  std::vector<WorkerSample> samples_;
};

void add_outcomes(const WorkerCounts& counts, Samples& samples) {
  const std::pair<std::string_view, std::uint64_t> outcomes[] = {
      {"done", counts.done},         {"repeated", counts.repeated},       {"rejected", counts.rejected},
      {"retried", counts.retried},   {"released", counts.released},       {"unavailable", counts.unavailable},
      {"returned", counts.returned}, {"failed_to_settle", counts.failed},
  };
  for (const auto& [outcome, count] : outcomes) {
    samples.add("holdfast_worker_deliveries_total", "Deliveries by what became of them", true, "outcome",
                outcome, static_cast<double>(count));
  }
}

}  // namespace

std::vector<WorkerSample> samples(const WorkerMetrics& metrics, std::string_view queue) {
  Samples all(queue);
  const auto counter = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    all.add(name, help, true, static_cast<double>(value));
  };
  const auto gauge = [&](std::string_view name, std::string_view help, double value) {
    all.add(name, help, false, value);
  };
  add_outcomes(metrics.counts, all);
  for (const auto& [category, count] : metrics.failed_by_category) {
    all.add("holdfast_worker_failures_total", "Deliveries that were rejected or retried, by category", true,
            "category", category, static_cast<double>(count));
  }
  counter("holdfast_worker_deaths_total", "Messages that were dead-lettered", metrics.died);
  counter("holdfast_worker_exceptions_total", "Handlers that threw", metrics.thrown);
  counter("holdfast_worker_outlived_total", "Failures of messages that were unavailable for too long",
          metrics.outlived);
  counter("holdfast_worker_local_retries_total", "Calls that were tried again within a handler",
          metrics.local_retries);
  counter("holdfast_worker_pauses_total", "How often a breaker opened", metrics.counts.paused);
  gauge("holdfast_worker_paused", "1 while nothing is fetched", metrics.paused ? 1 : 0);
  for (const std::string& dependency : metrics.paused_dependencies) {
    all.add("holdfast_worker_dependency_paused", "1 for each dependency that is taken for down", false,
            "dependency", dependency, 1);
  }
  gauge("holdfast_worker_running", "Handlers that run", static_cast<double>(metrics.running));
  gauge("holdfast_worker_waiting", "Messages that wait for a handler", static_cast<double>(metrics.waiting));
  all.add("holdfast_worker_handling_seconds_total", "Time that handlers took", true,
          seconds(metrics.handling));
  gauge("holdfast_worker_longest_handling_seconds", "The longest that a handler took",
        seconds(metrics.longest_handling));
  return std::move(all).take();
}

}  // namespace holdfast
