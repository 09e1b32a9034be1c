// EventLog keeps what happened lately, for clients that come back and ask what they have missed.
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

// The events of one engine, numbered from 1 on in the order in which they were told. The last kEventsKept of
// them are kept. Nothing is kept before somebody asks. Thread-safe. The engine must outlive it.
class EventLog {
 public:
  static constexpr std::size_t kEventsKept = 8192;

  explicit EventLog(Engine& engine);

  // Begins to listen, if it has not yet. Returns the number of the last event, or an error of
  // Engine::subscribe().
  Result<std::uint64_t> listen();

  // Returns a name such as "5f3a9c0e". It tells the numbers of this log from those of a server that ran
  // before.
  const std::string& name() const { return name_; }

  struct Entry {
    std::uint64_t number = 0;
    Event event;
  };
  struct Part {
    std::vector<Entry> entries;  // without gaps, at most `max`
    std::uint64_t missed = 0;    // how many events came before these and are not kept any more
  };
  // Returns the events after that number.
  Part after(std::uint64_t number, std::size_t max) const;

 private:
  void take(const Event& event);

  Engine& engine_;
  const std::string name_;
  sync::Mutex listening_;  // held while a subscription is made
  mutable sync::Mutex mutex_;
  std::deque<Event> events_ HOLDFAST_GUARDED_BY(mutex_);
  std::uint64_t last_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  // Declared after the members that its thread uses, so that it ends before they do.
  Subscription subscription_ HOLDFAST_GUARDED_BY(listening_);
  bool listens_ HOLDFAST_GUARDED_BY(listening_) = false;
};

}  // namespace holdfast::server
