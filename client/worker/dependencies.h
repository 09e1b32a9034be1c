// The dependencies of handlers by name, with a breaker for each. It has no clock: callers pass the time.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/worker/breaker.h"
#include "holdfast/ids.h"

namespace holdfast::worker {

// A Use says whether a message's handler asked for a dependency, and whether it might use it.
struct Use {
  std::string name;
  bool let = false;
  bool tries = false;  // it alone tries whether the dependency is back, after the breaker was open
};

// Uses are the dependencies that one message's handler asked for.
struct Uses {
  std::vector<Use> all = {};
  const Use* find(std::string_view name) const;
};

class Dependencies {
 public:
  // kNames is the most dependencies that have breakers. Messages that need a further one wait when it is
  // down, and nothing else does.
  static constexpr std::size_t kNames = 64;

  Dependencies(std::size_t after, Duration pause, Duration pause_max)
      : after_(after), pause_(pause), pause_max_(pause_max) {}

  // Returns whether the handler may use the dependency, and notes that in `uses`. It answers the same when it
  // is asked again.
  bool may_use(std::string_view name, Timestamp time, Uses& uses);
  // Notes the outcome of a message. `unavailable` is the name of the dependency that was down, or empty.
  // `done` says that the dependencies that the message used were there. Returns whether the breaker of the
  // dependency that was down opened.
  bool settled(const Uses& uses, std::string_view unavailable, bool done, Timestamp time);
  // Returns how long a message that needs the dependency must wait.
  Duration pause(std::string_view name) const;
  // Returns the dependencies whose breakers are open.
  std::vector<std::string> open(Timestamp time) const;

 private:
  struct Dependency {
    Breaker breaker;
    bool tried = false;  // a message is trying it
  };
  using Named = std::map<std::string, Dependency, std::less<>>;

  // Returns null if there are too many dependencies.
  Dependency* named(std::string_view name, Timestamp time);

  const std::size_t after_;
  const Duration pause_;
  const Duration pause_max_;
  Named named_;
};

// Remembers since when messages have been unavailable, for the last kRemembered of them.
class Outages {
 public:
  static constexpr std::size_t kRemembered = 10'000;

  // Notes that the message is unavailable now. Returns since when it has been. A message that was redriven
  // since, as its number of replays tells, has been unavailable only from now on.
  Timestamp note(const MessageId& message, std::uint32_t replays, Timestamp time);
  void forget(const MessageId& message);

 private:
  struct Outage {
    Timestamp since;
    std::uint32_t replays;
  };
  std::map<MessageId, Outage> outages_;
  std::set<std::pair<Timestamp, MessageId>> oldest_;
};

}  // namespace holdfast::worker
