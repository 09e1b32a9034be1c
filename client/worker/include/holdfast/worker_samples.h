// A worker's metrics as a list, for whichever metrics library the application has.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/worker.h"

namespace holdfast {

// One number, named and labelled as Prometheus has it.
struct WorkerSample {
  std::string_view name;  // "holdfast_worker_deliveries_total"
  std::string_view help;
  bool counter = false;  // it only grows while the worker lives; else a gauge
  std::vector<std::pair<std::string_view, std::string>> labels = {};
  double value = 0;

  friend bool operator==(const WorkerSample&, const WorkerSample&) = default;
};

// Those of one name follow each other. All have the label `queue`.
std::vector<WorkerSample> samples(const WorkerMetrics& metrics, std::string_view queue);

}  // namespace holdfast
