// RecentlyHandled keeps its keys twice: in a set to find them, and in the order in which they came, so that
// the oldest is forgotten when there are too many.
#include "holdfast/handled_log.h"

#include <deque>
#include <unordered_set>

#include "engine/sync/mutex.h"

namespace holdfast {

class RecentlyHandled::Impl {
 public:
  explicit Impl(std::size_t capacity) : capacity_(capacity) {}

  bool was_handled(const std::string& key) {
    const sync::Lock lock(mutex_);
    return keys_.contains(key);
  }

  void note_handled(const std::string& key) {
    const sync::Lock lock(mutex_);
    if (!keys_.insert(key).second) return;
    order_.push_back(key);
    if (order_.size() > capacity_) {
      keys_.erase(order_.front());
      order_.pop_front();
    }
  }

 private:
  const std::size_t capacity_;
  sync::Mutex mutex_;
  std::deque<std::string> order_ HOLDFAST_GUARDED_BY(mutex_);
  std::unordered_set<std::string> keys_ HOLDFAST_GUARDED_BY(mutex_);
};

RecentlyHandled::RecentlyHandled(std::size_t capacity) : impl_(std::make_unique<Impl>(capacity)) {}
RecentlyHandled::~RecentlyHandled() = default;

Result<bool> RecentlyHandled::was_handled(const std::string& key) { return impl_->was_handled(key); }

Result<void> RecentlyHandled::note_handled(const std::string& key) {
  impl_->note_handled(key);
  return {};
}

}  // namespace holdfast
