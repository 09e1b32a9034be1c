// What happened lately, for clients that come back and ask what they have missed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

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
  std::mutex listening_;  // held while a subscription is made
  mutable std::mutex mutex_;
  std::deque<Event> events_;
  std::uint64_t last_ = 0;
  // Last, since its thread uses the others.
  Subscription subscription_;
  bool listens_ = false;
};

}  // namespace holdfast::server
