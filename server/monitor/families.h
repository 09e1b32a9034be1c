// This header declares building blocks of the metrics page.
#pragma once

#include <prometheus/metric_family.h>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/statistics.h"

namespace holdfast::server {

using Labels = std::vector<prometheus::ClientMetric::Label>;
using Families = std::vector<prometheus::MetricFamily>;

// A Family makes one family of metrics. Its series are added one by one.
class Family {
 public:
  Family(prometheus::MetricType type, std::string name, std::string help) {
    family_.type = type;
    family_.name = std::move(name);
    family_.help = std::move(help);
  }

  // Adds a series. In the values of labels, bytes that are not UTF-8 become U+FFFD, since a label must be
  // UTF-8, and control characters are spelled out (console.h), since people read the page on terminals too.
  // Series that become equal are one, with the sum of their values.
  void add(double value, Labels labels = {});

  // Cut is the part of a histogram that the page shows. `scale` is one unit of the histogram in the unit of
  // the metric. Every other bucket from `first` to `last` becomes a bucket of the metric.
  struct Cut {
    double scale;
    std::size_t first;
    std::size_t last;
  };
  void add(const Histogram& histogram, Cut cut, Labels labels = {});

  // Moves the family to `families`, unless it has no series.
  void move_to(Families& families) &&;

 private:
  prometheus::MetricFamily family_;
  // `places_` are the places of the series in `metric`, by labels.
  std::map<std::vector<std::pair<std::string, std::string>>, std::size_t> places_;
};

inline Family gauge(std::string name, std::string help) {
  return {prometheus::MetricType::Gauge, std::move(name), std::move(help)};
}
inline Family counter(std::string name, std::string help) {
  return {prometheus::MetricType::Counter, std::move(name), std::move(help)};
}
inline Family histogram(std::string name, std::string help) {
  return {prometheus::MetricType::Histogram, std::move(name), std::move(help)};
}

inline constexpr double kMicrosecond = 1e-6;  // in seconds, the unit of all times on the page

}  // namespace holdfast::server
