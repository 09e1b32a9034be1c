#include "engine/queue/scheduler.h"

namespace holdfast {

void Scheduler::schedule(const std::shared_ptr<Queue>& queue, Timestamp due) {
  if (due == Timestamp::max()) return;
  const sync::Lock lock(mutex_);
  if (due >= queue->next_look_at) return;
  if (queue->next_look_at != Timestamp::max()) entries_.erase({queue->next_look_at, queue});
  queue->next_look_at = due;
  const auto added = entries_.emplace(due, queue).first;
  if (added == entries_.begin()) wake_.notify_one();
}

void Scheduler::forget(const std::shared_ptr<Queue>& queue) {
  const sync::Lock lock(mutex_);
  if (queue->next_look_at == Timestamp::max()) return;
  entries_.erase({queue->next_look_at, queue});
  queue->next_look_at = Timestamp::max();
}

std::vector<std::shared_ptr<Queue>> Scheduler::take_due(Timestamp now) {
  const sync::Lock lock(mutex_);
  std::vector<std::shared_ptr<Queue>> result;
  while (!entries_.empty() && entries_.begin()->first <= now) {
    auto entry = entries_.extract(entries_.begin());
    entry.value().second->next_look_at = Timestamp::max();
    result.push_back(std::move(entry.value().second));
  }
  return result;
}

Timestamp Scheduler::next_due() const {
  const sync::Lock lock(mutex_);
  return entries_.empty() ? Timestamp::max() : entries_.begin()->first;
}

void Scheduler::sleep(Timestamp planned, Duration at_most) {
  sync::Lock lock(mutex_);
  const auto until = std::chrono::steady_clock::now() + at_most;
  const auto is_awake = [&]() HOLDFAST_REQUIRES(mutex_) {
    return stopping_ || woken_ || (!entries_.empty() && entries_.begin()->first < planned);
  };
  while (!is_awake() && wake_.wait_until(lock, until)) {
  }
  woken_ = false;
}

void Scheduler::wake() {
  const sync::Lock lock(mutex_);
  woken_ = true;
  wake_.notify_one();
}

void Scheduler::stop() {
  const sync::Lock lock(mutex_);
  stopping_ = true;
  wake_.notify_all();
}

}  // namespace holdfast
