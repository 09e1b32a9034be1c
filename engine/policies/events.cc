#include "engine/policies/events.h"

#include <utility>

#include "engine/policies/subscriber.h"

namespace holdfast {

void EventHub::emit(Event event) {
  const GroupNumber group = pipeline_.open_group();
  {
    const sync::Lock lock(mutex_);
    auto& events = uncommitted_[group];
    events.push_back(std::move(event));
    if (events.size() > 1) return;
  }
  pipeline_.on_commit(group, [this, group](const Result<void>& committed_group) {
    if (committed_group) committed(group);
  });
}

// The pipeline calls callbacks one after another, in the order of their groups. So events are told in that
// order.
void EventHub::committed(GroupNumber group) {
  const sync::Lock lock(mutex_);
  std::erase_if(subscribers_, [](const auto& weak) { return weak.expired(); });
  heard_.store(!subscribers_.empty(), std::memory_order_relaxed);
  const auto events = uncommitted_.extract(group);
  for (const auto& weak : subscribers_) {
    const auto subscriber = weak.lock();
    // A call's events come after its answer. So a caller that subscribes after an answer is told only of what
    // follows.
    if (!subscriber || group <= subscriber->since()) continue;
    for (const Event& event : events.mapped()) subscriber->offer(event);
  }
}

Result<Subscription> EventHub::subscribe(EventFilter filter, EventCallback callback) {
  auto subscriber =
      std::make_shared<Subscriber>(std::move(filter), std::move(callback), pipeline_.last_committed());
  if (auto ok = subscriber->start(); !ok) return tl::unexpected(ok.error());
  const sync::Lock lock(mutex_);
  subscribers_.push_back(subscriber);
  heard_.store(true, std::memory_order_relaxed);
  return Subscription(std::move(subscriber));
}

void EventHub::stop() {
  const sync::Lock lock(mutex_);
  for (const auto& weak : subscribers_) {
    if (const auto subscriber = weak.lock()) subscriber->finish();
  }
}

}  // namespace holdfast
