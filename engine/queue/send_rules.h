// SendRules decides what a queue takes of sends, and what becomes of a message that it takes. A queue has
// one, under its mutex.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/core/schedule.h"
#include "engine/sync/atomic.h"
#include "holdfast/error.h"
#include "holdfast/message.h"
#include "holdfast/queue.h"

namespace holdfast {

class Catalog;

class SendRules {
 public:
  // All arguments but the catalog belong to the queue.
  SendRules(const std::string& name, const QueueOptions& options, const Pause& paused,
            const sync::Atomic<std::int64_t>& served, const Catalog& catalog)
      : name_(name), options_(options), paused_(paused), served_(served), catalog_(catalog) {}

  // Checks that sends are not paused. kQueuePaused.
  Result<void> check_open() const;
  // Checks whether the queue takes the message, as far as that depends on the queue or on the time of day.
  Result<void> admit(const Message& message) const;
  // Returns whether a message that is sent is a dead letter at once.
  bool are_dead_letters() const { return served_ > 0 && options_.dead_letters.direct_sends; }
  // Returns what a message that is sent now waits for, or nothing if it may be handed out.
  struct Wait {
    Timestamp until{};  // in the engine's time, or a time of day
    WaitsFor what = WaitsFor::kDelay;
  };
  std::optional<Wait> wait_of(const Message& message, Timestamp time) const;
  // Returns whether a message that is sent now would wait in `scheduled`.
  bool waits(const Message& message, Timestamp time) const { return wait_of(message, time).has_value(); }
  // Returns when the message expires, by the same clock as `visible_at`; kNever if it does not.
  Timestamp expires_at(const Message& message, Timestamp visible_at) const;

 private:
  // Checks a message that is sent to a queue that serves others.
  Result<void> check_direct(const Message& message) const;

  const std::string& name_;
  const QueueOptions& options_;
  const Pause& paused_;
  const sync::Atomic<std::int64_t>& served_;
  const Catalog& catalog_;
};

}  // namespace holdfast
