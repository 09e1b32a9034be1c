// Events: an engine tells its subscribers what happens to messages that nobody will acknowledge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/dead_letter.h"
#include "holdfast/ids.h"
#include "holdfast/policy.h"
#include "holdfast/queue.h"
#include "holdfast/time.h"

namespace holdfast {

enum class EventKind : std::uint8_t {
  kDied = 1,         // a message moved to the dead letter queue `target`
  kDiscarded = 2,    // a message was rejected on a queue that discards, and is deleted
  kExpired = 3,      // a message's time to live ran out on a queue that drops such messages; it is deleted
  kOverflowed = 4,   // a message was dropped from a full queue to make room; it is deleted
  kRuleFired = 5,    // an alert rule of a queue began to hold
  kRuleCleared = 6,  // an alert rule no longer holds, or its queue was deleted
  kMissed = 7,       // `count` events were dropped here, since this subscriber did not keep up
  // The wall clock was set by `count` milliseconds; `text` says how far and in which direction: "-1m30s".
  kClockStepped = 8,
};

// Returns the name of the kind: "died", "rule_fired" and so on. Names are stable, for logs, JSON and metrics.
std::string_view to_string(EventKind kind);

struct Event {
  EventKind kind = EventKind::kDied;
  Timestamp time{};
  std::string queue = {};  // where it happened; empty for kMissed and kClockStepped
  QueueId queue_id{};
  std::optional<MessageId> message = {};  // for events about one message
  std::optional<DeathCause> cause = {};   // for kDied
  std::string category = {};              // the category of the failure
  std::string text = {};    // the reason of a death, the name of a rule, or the step of the clock
  std::string target = {};  // for kDied: the dead letter queue
  // `count` has the message's deliveries, what a rule measured, the events missed, or a step in milliseconds.
  std::uint64_t count = 0;
  Tags tags = {};                       // for kDied, kRuleFired and kRuleCleared: the tags of `queue`
  std::optional<Alert> alert = {};      // for kRuleFired and kRuleCleared: severity, threshold and value
  std::optional<Seq> dead_letter = {};  // for kDied: the place of the dead letter in `target`
};

// Returns a line for people: "warning: orders-dlq: 101 dead letters, more than 100".
std::string summary(const Event& event);

// An EventFilter says which events a subscriber gets. The subscriber gets kMissed whatever the filter says.
struct EventFilter {
  std::string queue = {};             // events of this queue only; empty: of all queues
  std::vector<EventKind> kinds = {};  // events of these kinds only; empty: of all kinds
  std::size_t buffer = 1024;          // how many events to keep while it is busy: 1..limits::kEventBuffer
};

// Gets one event at a time, on a thread of the subscription's own. It may block, and must not throw.
using EventCallback = std::function<void(const Event&)>;

class Subscriber;  // the implementation

// A Subscription lets its callback get events as long as the subscription exists. It is a movable handle, and
// may outlive the engine.
class Subscription {
 public:
  Subscription();
  explicit Subscription(std::shared_ptr<Subscriber> subscriber);
  Subscription(Subscription&&) noexcept;
  Subscription& operator=(Subscription&&) noexcept;
  // Ends the subscription. When this returns, the callback does not run and will not run again, unless the
  // callback itself has called this. Events that are still in the buffer are dropped.
  ~Subscription();

 private:
  std::shared_ptr<Subscriber> subscriber_;
};

}  // namespace holdfast
