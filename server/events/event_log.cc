#include "server/events/event_log.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <random>
#include <utility>

#include "holdfast/limits.h"

namespace holdfast::server {

EventLog::EventLog(Engine& engine)
    : engine_(engine), name_(fmt::format("{:08x}", static_cast<std::uint32_t>(std::random_device()()))) {}

Result<std::uint64_t> EventLog::listen() {
  const sync::Lock listening(listening_);
  if (!listens_) {
    auto subscription =
        engine_.subscribe({.buffer = kEventsKept}, [this](const Event& event) { take(event); });
    if (!subscription) return tl::unexpected(subscription.error());
    subscription_ = *std::move(subscription);
    listens_ = true;
  }
  const sync::Lock lock(mutex_);
  return last_;
}

EventLog::Part EventLog::after(std::uint64_t number, std::size_t max) const {
  const sync::Lock lock(mutex_);
  Part part;
  const std::uint64_t gone = last_ - events_.size();
  if (number < gone) part.missed = gone - number;
  // The place of the first event among those that are kept.
  const std::uint64_t first = std::max(number, gone) - gone;
  for (std::uint64_t i = first; i < events_.size() && part.entries.size() < max; ++i)
    part.entries.push_back({gone + i + 1, events_[i]});
  return part;
}

void EventLog::take(const Event& event) {
  const sync::Lock lock(mutex_);
  ++last_;
  events_.push_back(event);
  if (events_.size() > kEventsKept) events_.pop_front();
}

}  // namespace holdfast::server
