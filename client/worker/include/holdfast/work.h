// What a worker's handler is given beside the message, and what it says became of it.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>

#include "holdfast/dead_letter.h"
#include "holdfast/message.h"
#include "holdfast/time.h"
#include "holdfast/trace.h"

namespace holdfast {

namespace worker {
class Consumption;
}

// What became of a message in its handler.
struct Work {
  enum class Action : std::uint8_t {
    kDone,     // acknowledged, as durably as the queue says
    kReject,   // dead-lettered now; what is past its limit is cut, and but for the reason on_failure hears of
               // it
    kRetry,    // released, charged
    kRelease,  // released, not charged
    kUnavailable,  // what it depends on is down: released, not charged, and the breaker hears of it
  };

  Action action = Action::kDone;
  Rejection rejection = {};  // of kReject
  // Before it is handed out again, 0..limits::kDelayMax. Default of kRetry: as the queue's retry policy says;
  // of kRelease: none. Of kUnavailable it is the breaker's pause.
  std::optional<Duration> delay = {};
  // Of kRetry with a delay: the delay is doubled with each charged delivery, up to this one.
  std::optional<Duration> delay_max = {};

  static Work done();
  static Work reject(Rejection rejection);
  static Work retry(std::optional<Duration> delay = {});
  // After min(first * 2^(deliveries - 1), max). A queue's retry policy can spread retries at random, too.
  static Work retry_with_backoff(Duration first, Duration max);
  static Work release(Duration delay = {});
  static Work unavailable();
};

// Valid as long as the handler runs.
class WorkContext {
 public:
  WorkContext(const worker::Consumption& consumption, const Delivery& delivery)
      : consumption_(consumption), delivery_(delivery) {}
  WorkContext(const WorkContext&) = delete;
  WorkContext& operator=(const WorkContext&) = delete;

  // The trace that the message is part of, for the handler's own span; none if it came without.
  std::optional<TraceContext> trace() const { return find_trace(delivery_.attributes); }

  // The lease is over although it was being extended (the broker was out of reach for too long, the queue was
  // purged): another consumer may have the message by now, and this one will not be settled. A handler that
  // takes long had better ask before what cannot be undone.
  bool lost() const;
  // stop() was called: one that takes long may say Work::release().
  bool stopping() const;

 private:
  const worker::Consumption& consumption_;
  const Delivery& delivery_;
};

// Called on threads of the worker's, so many at a time as its `concurrency` says. It may throw.
using WorkHandler = std::function<Work(const Delivery& delivery, const WorkContext& context)>;

// What an exception of a handler means. Must not throw. ExceptionRules is one.
using WorkClassifier = std::function<Work(const std::exception_ptr& thrown)>;

}  // namespace holdfast
