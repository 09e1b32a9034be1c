#include "engine/services/request_filter.h"

#include <algorithm>
#include <utility>

#include "engine/base/helpers/content_hash.h"

namespace holdfast {

std::array<std::uint64_t, RequestFilter::kProbes> RequestFilter::probes(std::string_view id) {
  std::array<std::uint64_t, kProbes> places{};
  std::uint64_t hash = ContentHash().add(id).value();
  for (std::uint64_t& place : places) {
    place = hash % kBits;
    hash = split_mix(hash + kSplitMixStep);
  }
  return places;
}

bool RequestFilter::contains(const Bits& bits, std::string_view id) {
  if (bits.empty()) return false;
  return std::ranges::all_of(
      probes(id), [&](std::uint64_t place) { return (bits[place / 64] >> (place % 64) & 1U) != 0; });
}

bool RequestFilter::may_know(std::string_view id, std::uint64_t bucket) const {
  if (bucket < newest_ || bucket <= known_from_) return true;
  // After `newest_` is over, the next bucket may still ask for its ids; a later one does not.
  const bool is_current = bucket <= newest_ + 1 && contains(current_, id);
  return is_current || (bucket == newest_ && contains(previous_, id));
}

bool RequestFilter::use(std::string_view id, std::uint64_t bucket) {
  const bool known = may_know(id, bucket);
  rotate(bucket);
  if (current_.empty()) current_.resize(kBits / 64);
  for (const std::uint64_t place : probes(id)) current_[place / 64] |= std::uint64_t{1} << (place % 64);
  return known;
}

void RequestFilter::rotate(std::uint64_t bucket) {
  if (bucket <= newest_) return;
  previous_ = bucket == newest_ + 1 ? std::exchange(current_, {}) : Bits{};
  current_.clear();
  newest_ = bucket;
}

}  // namespace holdfast
