// The metrics of a worker as a list, for the metrics library of the application.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/worker.h"

namespace holdfast {

// A WorkerSample is one number, with a name and labels as Prometheus has them.
struct WorkerSample {
  std::string_view name;  // "holdfast_worker_deliveries_total"
  std::string_view help;
  bool counter = false;  // true: a counter, which only grows as long as the worker exists; false: a gauge
  std::vector<std::pair<std::string_view, std::string>> labels = {};
  double value = 0;

  friend bool operator==(const WorkerSample&, const WorkerSample&) = default;
};

// Lists the metrics. Samples with the same name follow each other, and all have the label `queue`.
std::vector<WorkerSample> samples(const WorkerMetrics& metrics, std::string_view queue);

}  // namespace holdfast
