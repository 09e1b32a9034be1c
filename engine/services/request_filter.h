// The filter knows the request ids that were used lately. It may say yes for an id that was not, and never
// says no for one that was. So a call with a new id, as nearly each is, need not look for an answer on disk.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace holdfast {

// The filter has a Bloom filter (Bloom 1970) for the ids of one bucket of time, and one for the bucket
// before. Not thread-safe.
class RequestFilter {
 public:
  // Says that the filter does not know the ids that were used in buckets before this one.
  void know_from(std::uint64_t bucket) { known_from_ = bucket; }

  // Returns whether the id may have been used in this bucket or the one before, and notes that it is used
  // now. Time may go backwards: for a bucket that is over the answer is yes.
  bool use(std::string_view id, std::uint64_t bucket);
  // Returns whether the id may have been used in this bucket or the one before, and notes nothing.
  bool may_know(std::string_view id, std::uint64_t bucket) const;

 private:
  // The two filters take 2 MiB of memory each once ids are used. Of 3 million ids in five minutes, which is
  // 10,000 a second, a seventh counts as known by mistake.
  static constexpr std::uint64_t kBits = 1U << 24U;
  static constexpr int kProbes = 3;
  using Bits = std::vector<std::uint64_t>;

  static std::array<std::uint64_t, kProbes> probes(std::string_view id);
  static bool contains(const Bits& bits, std::string_view id);
  void rotate(std::uint64_t bucket);

  std::uint64_t known_from_ = 0;
  std::uint64_t newest_ = 0;  // the bucket of current_
  Bits current_;              // empty if it has no id
  Bits previous_;
};

}  // namespace holdfast
