// A worker's metrics as a list, and what prometheus-cpp makes of it.
#include "holdfast/worker_samples.h"

#include <gmock/gmock.h>
#include <prometheus/collectable.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace holdfast {
namespace {

using ::testing::HasSubstr;

// docs/consumers.md shows the same collector.
class WorkerCollector final : public prometheus::Collectable {
 public:
  WorkerCollector(std::function<WorkerMetrics()> metrics, std::string queue)
      : metrics_(std::move(metrics)), queue_(std::move(queue)) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    std::vector<prometheus::MetricFamily> families;
    for (const auto& sample : samples(metrics_(), queue_)) {
      if (families.empty() || families.back().name != sample.name) {
        const auto type = sample.counter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
        families.push_back({std::string(sample.name), std::string(sample.help), type, {}});
      }
      prometheus::ClientMetric& metric = families.back().metric.emplace_back();
      for (const auto& [name, value] : sample.labels) metric.label.push_back({std::string(name), value});
      (sample.counter ? metric.counter.value : metric.gauge.value) = sample.value;
    }
    return families;
  }

 private:
  std::function<WorkerMetrics()> metrics_;
  std::string queue_;
};

WorkerMetrics seen() {
  WorkerMetrics metrics;
  metrics.counts = {.done = 7, .rejected = 2, .retried = 3, .unavailable = 4, .paused = 1};
  metrics.died = 2;
  metrics.failed_by_category = {{"timeout", 3}, {"validation", 2}};
  metrics.running = 5;
  metrics.waiting = 6;
  metrics.handling = std::chrono::milliseconds(1500);
  metrics.paused_dependencies = {"warehouse"};
  return metrics;
}

TEST(Samples, AreWhatAMetricsLibraryWants) {
  const WorkerCollector collector(seen, "orders");
  const std::string text = prometheus::TextSerializer().Serialize(collector.Collect());
  for (const char* line :
       {"# TYPE holdfast_worker_deliveries_total counter\n",
        "holdfast_worker_deliveries_total{queue=\"orders\",outcome=\"done\"} 7\n",
        "holdfast_worker_deliveries_total{queue=\"orders\",outcome=\"rejected\"} 2\n",
        "holdfast_worker_deliveries_total{queue=\"orders\",outcome=\"retried\"} 3\n",
        "holdfast_worker_deliveries_total{queue=\"orders\",outcome=\"unavailable\"} 4\n",
        "holdfast_worker_failures_total{queue=\"orders\",category=\"timeout\"} 3\n",
        "holdfast_worker_deaths_total{queue=\"orders\"} 2\n",
        "holdfast_worker_pauses_total{queue=\"orders\"} 1\n",
        "holdfast_worker_dependency_paused{queue=\"orders\",dependency=\"warehouse\"} 1\n",
        "# TYPE holdfast_worker_running gauge\n", "holdfast_worker_running{queue=\"orders\"} 5\n",
        "holdfast_worker_waiting{queue=\"orders\"} 6\n",
        "holdfast_worker_handling_seconds_total{queue=\"orders\"} 1.5\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(Samples, OfOneNameFollowEachOther) {
  std::map<std::string_view, int> began;
  std::string_view last;
  for (const WorkerSample& sample : samples(seen(), "orders")) {
    if (sample.name != last) ++began[sample.name];
    last = sample.name;
  }
  for (const auto& [name, times] : began) EXPECT_EQ(times, 1) << name;
}

}  // namespace
}  // namespace holdfast
