#include "client/connection/inbox.h"

#include <iterator>

namespace holdfast::client {

void Inbox::add(Deliveries deliveries) {
  {
    const sync::Lock lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    for (Delivery& delivery : deliveries) deliveries_.push_back({std::move(delivery), now});
  }
  changed_.notify_all();
}

void Inbox::reopen(std::uint64_t opening) {
  const sync::Lock lock(mutex_);
  deliveries_.clear();
  opening_ = opening;
}

void Inbox::end(Error error) {
  {
    const sync::Lock lock(mutex_);
    if (!end_) end_ = std::move(error);
  }
  changed_.notify_all();
}

Result<Inbox::Taken> Inbox::take(std::size_t max, std::chrono::steady_clock::time_point deadline) {
  sync::Lock lock(mutex_);
  bool in_time = true;
  while (deliveries_.empty() && !end_ && in_time) in_time = changed_.wait_until(lock, deadline);
  if (deliveries_.empty() && end_) return tl::unexpected(*end_);
  Taken taken{.deliveries = {}, .opening = opening_};
  while (taken.deliveries.size() < max && !deliveries_.empty()) {
    taken.deliveries.push_back(std::move(deliveries_.front()));
    deliveries_.pop_front();
  }
  return taken;
}

bool Inbox::put_back(Taken taken) {
  {
    const sync::Lock lock(mutex_);
    if (taken.opening != opening_) return false;
    deliveries_.insert(deliveries_.begin(), std::move_iterator(taken.deliveries.begin()),
                       std::move_iterator(taken.deliveries.end()));
  }
  changed_.notify_all();
  return true;
}

}  // namespace holdfast::client
