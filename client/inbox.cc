#include "client/inbox.h"

#include <algorithm>
#include <iterator>

namespace holdfast::client {

void Inbox::add(Deliveries deliveries) {
  {
    const std::lock_guard lock(mutex_);
    std::ranges::move(deliveries, std::back_inserter(deliveries_));
  }
  changed_.notify_all();
}

void Inbox::clear() {
  const std::lock_guard lock(mutex_);
  deliveries_.clear();
}

void Inbox::end(Error error) {
  {
    const std::lock_guard lock(mutex_);
    if (!end_) end_ = std::move(error);
  }
  changed_.notify_all();
}

Result<Deliveries> Inbox::take(std::size_t max, std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [this] { return !deliveries_.empty() || end_; });
  if (deliveries_.empty() && end_) return tl::unexpected(*end_);
  Deliveries taken;
  while (taken.size() < max && !deliveries_.empty()) {
    taken.push_back(std::move(deliveries_.front()));
    deliveries_.pop_front();
  }
  return taken;
}

}  // namespace holdfast::client
