#include "server/monitor/families.h"

#include <utility>

namespace holdfast::server {

void Family::add(double value, Labels labels) {
  prometheus::ClientMetric metric;
  metric.label = std::move(labels);
  metric.counter.value = value;  // the type says which of them is shown
  metric.gauge.value = value;
  family_.metric.push_back(std::move(metric));
}

void Family::add(const Histogram& histogram, Cut cut, Labels labels) {
  prometheus::ClientMetric metric;
  metric.label = std::move(labels);
  metric.histogram.sample_count = histogram.count;
  metric.histogram.sample_sum = static_cast<double>(histogram.sum) * cut.scale;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i <= cut.last; ++i) {
    below += histogram.buckets[i];
    if (i < cut.first || (i - cut.first) % 2 != 0) continue;
    const double upper = static_cast<double>((std::uint64_t{1} << i) - 1) * cut.scale;
    metric.histogram.bucket.push_back({below, upper});
  }
  family_.metric.push_back(std::move(metric));
}

void Family::move_to(Families& families) && {
  if (!family_.metric.empty()) families.push_back(std::move(family_));
}

}  // namespace holdfast::server
