// The last written counts of a queue's index. Deaths change the same few counts again and again.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/storage/store.h"

namespace holdfast {

// A count in the cache is as the store will have it once all groups are written, because every change of a
// count goes through the cache. Not thread-safe.
class IndexCountCache {
 public:
  // Returns the count of a key, or zeros if there is none.
  Result<IndexCount> get(const Store& store, const std::string& key) const;
  void put(const std::string& key, const IndexCount& count);
  // Forgets everything, because the rows of all counts are removed.
  void clear() { counts_.clear(); }

 private:
  static constexpr std::size_t kMost = 64;
  std::map<std::string, IndexCount> counts_;
};

}  // namespace holdfast
