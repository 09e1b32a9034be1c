#include "engine/queue/open_group/expiry_index.h"

namespace holdfast {

void ExpiryIndex::clear() {
  removals_.clear();
  puts_.clear();
  purge();
}

void ExpiryIndex::contribute(QueueId queue, Batch& rows) {
  for (const auto& [time, first] : removals_) {
    rows.remove(Family::kScheduled, keys::expiry(queue, time, first));
  }
  for (const auto& [time, first] : puts_) rows.put(Family::kScheduled, keys::expiry(queue, time, first), "");
  removals_.clear();
  puts_.clear();
}

}  // namespace holdfast
