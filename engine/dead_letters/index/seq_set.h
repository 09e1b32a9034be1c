// A SeqSet is a set of seqs. It has a bit for each seq, in pages, so a million neighbours take 125 KB, and a
// seq alone takes a page.
#pragma once

#include <bitset>
#include <cstdint>
#include <unordered_map>

#include "holdfast/ids.h"

namespace holdfast {

class SeqSet {
 public:
  void insert(Seq seq) { pages_[page_of(seq)].set(bit_of(seq)); }
  bool contains(Seq seq) const {
    const auto page = pages_.find(page_of(seq));
    return page != pages_.end() && page->second.test(bit_of(seq));
  }
  // Removes the seqs that `other` does not have.
  void intersect(const SeqSet& other) {
    for (auto& [number, page] : pages_) {
      const auto theirs = other.pages_.find(number);
      theirs == other.pages_.end() ? page.reset() : page &= theirs->second;
    }
  }

 private:
  static constexpr std::uint64_t kPageBits = 8192;
  static std::uint64_t page_of(Seq seq) { return static_cast<std::uint64_t>(seq) / kPageBits; }
  static std::size_t bit_of(Seq seq) { return static_cast<std::uint64_t>(seq) % kPageBits; }

  std::unordered_map<std::uint64_t, std::bitset<kPageBits>> pages_;
};

}  // namespace holdfast
