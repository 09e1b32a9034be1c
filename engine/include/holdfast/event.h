// Being told what happens to messages that nobody will acknowledge.
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
  kDied = 1,          // a message moved to the dead letter queue `target`
  kDiscarded = 2,     // a message was rejected on a queue that discards: it is gone
  kExpired = 3,       // a message's time to live ran out on a queue that drops such messages: it is gone
  kOverflowed = 4,    // a message was dropped from a full queue to make room: it is gone
  kRuleFired = 5,     // an alert rule of a queue began to hold
  kRuleCleared = 6,   // it no longer holds, or its queue was deleted
  kMissed = 7,        // `count` events were dropped here, since this subscriber did not keep up
  kClockStepped = 8,  // the wall clock was set, forward or back by `count` milliseconds; `text`: "-1m30s"
};

// "died", "rule_fired": stable, for logs, JSON and metrics.
std::string_view to_string(EventKind kind);

struct Event {
  EventKind kind = EventKind::kDied;
  Timestamp time{};
  std::string queue = {};  // where it happened; empty for kMissed and kClockStepped
  QueueId queue_id{};
  std::optional<MessageId> message = {};  // of events on one message
  std::optional<DeathCause> cause = {};   // of kDied
  std::string category = {};              // what the consumer gave when it rejected the message
  std::string text = {};                  // the reason of a death; the name of a rule
  std::string target = {};                // of kDied: the dead letter queue
  // Deliveries of the message; what a rule measured; events missed; a step in milliseconds.
  std::uint64_t count = 0;
  Tags tags = {};                       // of `queue`; of kDied, kRuleFired and kRuleCleared
  std::optional<Alert> alert = {};      // of a rule that fired or cleared: its severity, threshold and value
  std::optional<Seq> dead_letter = {};  // of kDied: its place in `target`
};

// For people, in one line: "warning: orders-dlq: 101 dead letters, more than 100".
std::string summary(const Event& event);

// What a subscriber wants to hear. kMissed is always told.
struct EventFilter {
  std::string queue = {};             // only of this queue; empty: of all
  std::vector<EventKind> kinds = {};  // only these; empty: all
  std::size_t buffer = 1024;          // events kept for a slow subscriber; 1..limits::kEventBuffer
};

// Called on a thread of the subscription's own, one event at a time; it may block, and must not throw.
using EventCallback = std::function<void(const Event&)>;

class Subscriber;  // the inside

// Events come as long as it lives. A movable handle; may outlive the engine.
class Subscription {
 public:
  Subscription();
  explicit Subscription(std::shared_ptr<Subscriber> subscriber);
  Subscription(Subscription&&) noexcept;
  Subscription& operator=(Subscription&&) noexcept;
  // Ends it: the callback is not running and will not run when this returns, unless it is called from the
  // callback itself. Events that were not told yet are not told.
  ~Subscription();

 private:
  std::shared_ptr<Subscriber> subscriber_;
};

}  // namespace holdfast
