// What happened lately, for clients that come back and ask what they have missed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "engine/sync/mutex.h"
#include "holdfast/engine.h"
#include "holdfast/event.h"

namespace holdfast::server {

// The events of one engine, numbered from 1 in the order in which they were told, and the last kEventsKept of
// them. Nothing is kept before somebody asks. Thread-safe. The engine must outlive it.
class EventLog {
 public:
  static constexpr std::size_t kEventsKept = 8192;

  explicit EventLog(Engine& engine);

  // Listens from now on, if it does not yet. Gives the number of the last event. As Engine::subscribe.
  Result<std::uint64_t> listen();

  // Tells the numbers of this log from those of another, of a server that ran before: "5f3a9c0e".
  const std::string& name() const { return name_; }

  struct Entry {
    std::uint64_t number = 0;
    Event event;
  };
  struct Part {
    std::vector<Entry> entries;  // without gaps, at most `max` of them
    std::uint64_t missed = 0;    // how many came before these and are not kept any more
  };
  // What came after that number.
  Part after(std::uint64_t number, std::size_t max) const;

 private:
  void take(const Event& event);

  Engine& engine_;
  const std::string name_;
  sync::Mutex listening_;  // held while a subscription is made
  mutable sync::Mutex mutex_;
  std::deque<Event> events_ HOLDFAST_GUARDED_BY(mutex_);
  std::uint64_t last_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  // Last, since its thread uses the others.
  Subscription subscription_ HOLDFAST_GUARDED_BY(listening_);
  bool listens_ HOLDFAST_GUARDED_BY(listening_) = false;
};

}  // namespace holdfast::server
