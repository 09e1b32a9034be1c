// SplitMix64 (Steele, Lea, Flood 2014) spreads a number evenly over 64 bits, one to one.
#pragma once

#include <cstdint>

namespace holdfast {

constexpr std::uint64_t kSplitMixStep = 0x9e3779b97f4a7c15U;

constexpr std::uint64_t split_mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

}  // namespace holdfast
