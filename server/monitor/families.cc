#include "server/monitor/families.h"

#include <utility>

#include "engine/codec/encoding/json.h"
#include "server/logging/console.h"

namespace holdfast::server {
namespace {

// Returns the text with the replacements that JSON makes.
std::string as_utf8(const std::string& text) { return parse_json(dump_json(text)).get<std::string>(); }

}  // namespace

void Family::add(double value, Labels labels) {
  std::vector<std::pair<std::string, std::string>> key;
  for (auto& label : labels) {
    label.value = escaped(as_utf8(label.value));
    key.emplace_back(label.name, label.value);
  }
  const auto [place, is_new] = places_.try_emplace(std::move(key), family_.metric.size());
  if (is_new) family_.metric.emplace_back().label = std::move(labels);
  prometheus::ClientMetric& metric = family_.metric[place->second];
  metric.counter.value += value;  // the family's type decides which of the two is shown
  metric.gauge.value += value;
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
