// Counts of a queue's index as they were written last: deaths change the same few again and again.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/storage/store.h"

namespace holdfast {

// What it has is as the store will have it once all groups are written: whoever changes a count goes through
// it. Not thread-safe.
class IndexCountCache {
 public:
  // By the key of the count; zeros if there is none.
  Result<IndexCount> get(const Store& store, const std::string& key) const;
  void put(const std::string& key, const IndexCount& count);
  // The rows of all counts go.
  void clear() { counts_.clear(); }

 private:
  static constexpr std::size_t kMost = 64;
  std::map<std::string, IndexCount> counts_;
};

}  // namespace holdfast
