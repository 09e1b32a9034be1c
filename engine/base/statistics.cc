// A histogram counts values by how many bits they have. So adding one takes a few instructions, and a
// quantile is at most twice the true value.
#include "holdfast/statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace holdfast {

std::size_t Histogram::bucket_of(std::uint64_t value) {
  return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(value)), kBuckets - 1);
}

void Histogram::add(std::uint64_t value) {
  ++buckets[bucket_of(value)];
  ++count;
  sum += value;
}

std::uint64_t Histogram::quantile(double share) const {
  if (count == 0) return 0;
  const auto rank = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += buckets[i];
    if (seen >= rank && seen > 0) return i == 0 ? 0 : (std::uint64_t{1} << i) - 1;
  }
  return (std::uint64_t{1} << (kBuckets - 1)) - 1;
}

}  // namespace holdfast
