// Building blocks of the metrics page.
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

// One family, whose series are added one by one.
class Family {
 public:
  Family(prometheus::MetricType type, std::string name, std::string help) {
    family_.type = type;
    family_.name = std::move(name);
    family_.help = std::move(help);
  }

  // Of values that are not UTF-8, which a label must be, the bytes that are not become U+FFFD, and control
  // characters are spelled out (console.h): the page is read on terminals too. Series that
  // are alike then are one, with the sum.
  void add(double value, Labels labels = {});

  // `scale`: what one unit of the histogram is in the metric's. Every other of its buckets from `first` to
  // `last` becomes one.
  struct Cut {
    double scale;
    std::size_t first;
    std::size_t last;
  };
  void add(const Histogram& histogram, Cut cut, Labels labels = {});

  // Nothing if it has no series.
  void move_to(Families& families) &&;

 private:
  prometheus::MetricFamily family_;
  std::map<std::vector<std::pair<std::string, std::string>>, std::size_t> places_;  // by labels, in `metric`
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

inline constexpr double kMicrosecond = 1e-6;  // in seconds, the unit of all times here

}  // namespace holdfast::server
