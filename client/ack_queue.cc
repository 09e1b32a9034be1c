#include "client/ack_queue.h"

#include <algorithm>

namespace holdfast::client {

AckQueue::~AckQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void AckQueue::add(const Receipt& receipt) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(receipt);
    ++added_;
  }
  changed_.notify_all();
}

std::vector<AckFailure> AckQueue::flush() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this, so_far = added_] { return answered_ >= so_far; });
  return std::exchange(failures_, {});
}

void AckQueue::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::size_t count = std::min(waiting_.size(), limits::kBatchEntries);
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    const std::vector<Receipt> batch(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    lock.unlock();
    const auto results = acknowledge_(batch);
    lock.lock();
    for (std::size_t i = 0; i < count; ++i) {
      if (results[i] || failures_.size() >= limits::kBatchEntries) continue;
      failures_.push_back({batch[i], results[i].error()});
    }
    answered_ += count;
    changed_.notify_all();
  }
}

}  // namespace holdfast::client
