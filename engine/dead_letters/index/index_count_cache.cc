#include "engine/dead_letters/index/index_count_cache.h"

namespace holdfast {

Result<IndexCount> IndexCountCache::get(const Store& store, const std::string& key) const {
  const auto known = counts_.find(key);
  if (known != counts_.end()) return known->second;
  auto row = store.get(Family::kDeadLetterIndex, key);
  if (!row) return tl::unexpected(row.error());
  return row->has_value() ? decode_index_count(**row) : Result<IndexCount>(IndexCount{});
}

void IndexCountCache::put(const std::string& key, const IndexCount& count) {
  if (counts_.size() == kMost && !counts_.contains(key)) counts_.clear();
  counts_.insert_or_assign(key, count);
}

}  // namespace holdfast
