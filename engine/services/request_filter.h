// Which request ids were used lately: may say yes of one that was not, never no of one that was. So that a
// call under a new id, which is nearly each, need not look for an earlier answer on disk.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace holdfast {

// A Bloom filter (Bloom 1970) for the ids of a bucket of time, and one for the bucket before. Not
// thread-safe.
class RequestFilter {
 public:
  // Ids that were used in buckets before this one are not known to it.
  void know_from(std::uint64_t bucket) { known_from_ = bucket; }

  // Whether the id may have been used in this bucket or the one before; from now on it was. Time may go
  // backwards; what it is asked then it does not know.
  bool use(std::string_view id, std::uint64_t bucket);
  // The same, and nothing is noted.
  bool may_know(std::string_view id, std::uint64_t bucket) const;

 private:
  // 2 MiB of memory for each of the two once ids are used. Of 3 million ids in five minutes, 10,000 a second,
  // it takes a seventh for known by mistake.
  static constexpr std::uint64_t kBits = 1U << 24U;
  static constexpr int kProbes = 3;
  using Bits = std::vector<std::uint64_t>;

  static std::array<std::uint64_t, kProbes> probes(std::string_view id);
  static bool contains(const Bits& bits, std::string_view id);
  void rotate(std::uint64_t bucket);

  std::uint64_t known_from_ = 0;
  std::uint64_t newest_ = 0;  // the bucket of current_
  Bits current_;              // empty: no id
  Bits previous_;
};

}  // namespace holdfast
