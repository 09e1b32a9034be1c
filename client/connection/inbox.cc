#include "client/connection/inbox.h"

#include <ranges>

namespace holdfast::client {

void Inbox::add(Deliveries deliveries) {
  {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    for (Delivery& delivery : deliveries) deliveries_.push_back({std::move(delivery), now});
  }
  changed_.notify_all();
}

void Inbox::reopen(std::uint64_t opening) {
  const std::lock_guard lock(mutex_);
  deliveries_.clear();
  opening_ = opening;
}

void Inbox::end(Error error) {
  {
    const std::lock_guard lock(mutex_);
    if (!end_) end_ = std::move(error);
  }
  changed_.notify_all();
}

Result<Inbox::Taken> Inbox::take(std::size_t max, std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [this] { return !deliveries_.empty() || end_; });
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
    const std::lock_guard lock(mutex_);
    if (taken.opening != opening_) return false;
    for (Kept& kept : std::views::reverse(taken.deliveries)) deliveries_.push_front(std::move(kept));
  }
  changed_.notify_all();
  return true;
}

}  // namespace holdfast::client
