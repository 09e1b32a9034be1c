#include "holdfast/handled_log.h"

namespace holdfast {

Result<bool> RecentlyHandled::was_handled(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  return keys_.contains(key);
}

Result<void> RecentlyHandled::note_handled(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  if (!keys_.insert(key).second) return {};
  order_.push_back(key);
  if (order_.size() > capacity_) {
    keys_.erase(order_.front());
    order_.pop_front();
  }
  return {};
}

}  // namespace holdfast
