// What handlers depend on, by name: a breaker for each. Pure: time comes from outside.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/worker/breaker.h"
#include "holdfast/ids.h"

namespace holdfast::worker {

// Whether a message's handler asked for a dependency, and was let.
struct Use {
  std::string name;
  bool let = false;
  bool tries = false;  // alone, after the breaker was open
};

// Of one message.
struct Uses {
  std::vector<Use> all = {};
  const Use* find(std::string_view name) const;
};

class Dependencies {
 public:
  // More are not told apart: what depends on one that has no breaker waits, and nothing else does.
  static constexpr std::size_t kNames = 64;

  Dependencies(std::size_t after, Duration pause, Duration pause_max)
      : after_(after), pause_(pause), pause_max_(pause_max) {}

  // Whether the handler may use it. Noted in `uses`; asked again it gives the same answer.
  bool may_use(std::string_view name, Timestamp time, Uses& uses);
  // The message is settled: those that it used were there, or not known, if it is not `unavailable`, the name
  // of the one that was not. True if that one's breaker opened.
  bool settled(const Uses& uses, std::string_view unavailable, bool done, Timestamp time);
  // How long what needs it is to wait.
  Duration pause(std::string_view name) const;
  // Those whose breakers are open.
  std::vector<std::string> open(Timestamp time) const;

 private:
  struct Dependency {
    Breaker breaker;
    bool tried = false;  // somebody does
  };
  using Named = std::map<std::string, Dependency, std::less<>>;

  // Null if there are too many.
  Dependency* named(std::string_view name, Timestamp time);

  const std::size_t after_;
  const Duration pause_;
  const Duration pause_max_;
  Named named_;
};

// Since when messages are unavailable, as far as is remembered: of the last kRemembered of them.
class Outages {
 public:
  static constexpr std::size_t kRemembered = 10'000;

  // This message is now. Gives since when.
  Timestamp note(const MessageId& message, Timestamp time);
  void forget(const MessageId& message);

 private:
  std::map<MessageId, Timestamp> since_;
  std::set<std::pair<Timestamp, MessageId>> oldest_;
};

}  // namespace holdfast::worker
