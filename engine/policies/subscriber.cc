#include "engine/policies/subscriber.h"

#include <algorithm>
#include <utility>

namespace holdfast {

// The thread keeps its subscriber alive, since the subscription may end in its own callback.
Result<void> Subscriber::start() {
  auto thread = sync::Thread::start([self = shared_from_this()] { self->run(); });
  if (!thread) return tl::unexpected(thread.error());
  thread_ = *std::move(thread);
  return {};
}

bool Subscriber::wants(const Event& event) const {
  if (!filter_.queue.empty() && event.queue != filter_.queue) return false;
  return filter_.kinds.empty() || std::ranges::find(filter_.kinds, event.kind) != filter_.kinds.end();
}

void Subscriber::offer(const Event& event) {
  if (!wants(event)) return;
  const sync::Lock lock(mutex_);
  if (finished_) return;
  if (buffer_.size() < filter_.buffer) {
    buffer_.push_back(event);
  } else if (buffer_.back().kind == EventKind::kMissed) {
    ++buffer_.back().count;
  } else {
    // The event lies beyond the bound of the buffer, so that it takes no place of another event.
    buffer_.push_back({.kind = EventKind::kMissed, .time = event.time, .count = 1});
  }
  wake_.notify_one();
}

void Subscriber::finish() {
  const sync::Lock lock(mutex_);
  finished_ = true;
  wake_.notify_one();
}

void Subscriber::cancel() {
  {
    const sync::Lock lock(mutex_);
    finished_ = true;
    buffer_.clear();
    wake_.notify_one();
  }
  if (!thread_.joinable()) return;
  thread_.get_id() == std::this_thread::get_id() ? thread_.detach() : thread_.join();
}

void Subscriber::run() {
  sync::Lock lock(mutex_);
  for (;;) {
    while (!finished_ && buffer_.empty()) wake_.wait(lock);
    if (buffer_.empty()) return;
    const Event event = std::move(buffer_.front());
    buffer_.pop_front();
    lock.unlock();
    callback_(event);
    lock.lock();
  }
}

}  // namespace holdfast
