// A worker's handler gets a WorkContext beside the message, and answers with a Work.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "holdfast/dead_letter.h"
#include "holdfast/message.h"
#include "holdfast/time.h"
#include "holdfast/trace_context.h"

namespace holdfast {

namespace worker {
class WorkerImpl;
struct Uses;
}  // namespace worker

// A Work is what a handler answers: it says what the worker does with the message.
struct Work {
  enum class Action : std::uint8_t {
    // The message is handled: it is acknowledged, with the durability of the queue.
    kDone,
    // The message cannot be handled: it is dead-lettered now. Texts past their limits are cut, and on_failure
    // is told of each cut except that of the reason.
    kReject,
    // The delivery failed: the message is released, charged.
    kRetry,
    // The message is given back: it is released, not charged.
    kRelease,
    // Something that the message needs is down: it is released, not charged, and the breaker counts it. A
    // message that has been unavailable for WorkerOptions::max_unavailable is charged, as with kRetry.
    kUnavailable,
  };

  Action action = Action::kDone;
  // The failure says why, for kReject, kRetry and kUnavailable. The message keeps it, and so does the failure
  // record should the message die, except that of kUnavailable, which charges nothing. If the handler threw
  // an exception, fields that are empty are filled in from it (failure_of()).
  Failure failure = {};
  // The dependency names what is down, for kUnavailable. Only messages that need it wait for it; without a
  // name all messages wait.
  std::string dependency = {};
  // The message is handed out again after this delay: 0..limits::kDelayMax. Default: for kRetry what the
  // queue's retry policy says, for kRelease no delay. For kUnavailable the pause of the breaker holds
  // instead.
  std::optional<Duration> delay = {};
  // If this is set too, the delay of a kRetry doubles with each charged delivery, up to `delay_max`.
  std::optional<Duration> delay_max = {};

  static Work done();
  static Work reject(Rejection rejection);
  static Work retry(std::optional<Duration> delay = {});
  static Work retry(Failure failure, std::optional<Duration> delay = {});
  // Retries after min(first * 2^(deliveries - 1), max). The queue's retry policy can also spread retries at
  // random.
  static Work retry_with_backoff(Duration first, Duration max);
  static Work release(Duration delay = {});
  static Work unavailable(std::string dependency = {});
};

// A LocalRetry says how a handler retries a call of its own that may succeed the next time, so that it need
// not give the message back for a hiccup. Waits end early when the worker stops or the lease is lost.
struct LocalRetry {
  std::size_t attempts = 3;  // the most attempts, the first one included; at least 1
  // The wait before the n-th further attempt: min(first * 2^(n - 1), max).
  Duration first = std::chrono::milliseconds(100);
  Duration max = std::chrono::seconds(5);
  double jitter = 0.5;  // 0..1: the largest share by which a wait is shortened, at random
  // No attempt begins later than this after the first one began. Default: the worker's lease.
  std::optional<Duration> within = {};
  // Returns whether to try again after this exception. Default: after any exception.
  std::function<bool(const std::exception_ptr&)> retryable = {};
};

// A WorkContext is what a handler may ask while it runs. It is valid until the handler returns.
class WorkContext {
 public:
  WorkContext(worker::WorkerImpl& impl, const Delivery& delivery, worker::Uses& uses)
      : impl_(impl), delivery_(delivery), uses_(uses) {}
  WorkContext(const WorkContext&) = delete;
  WorkContext& operator=(const WorkContext&) = delete;

  // Returns the trace that the message is part of, for the handler's own span, or nothing if the message has
  // none.
  std::optional<TraceContext> trace() const { return find_trace(delivery_.attributes); }

  // Returns whether the lease is over although the worker extends it: the broker was out of reach for too
  // long, or the queue was purged, for example. Another consumer may have the message by now, and this
  // delivery will not be settled. While extensions fail, nobody knows whether the lease has ended: then this
  // is true once the length of the lease has passed, until an extension succeeds after all. An extension that
  // gets no answer fails only once ClientOptions::call_timeout has passed. A handler that takes long should
  // ask before it does what cannot be undone.
  bool lost() const;
  // Returns whether stop() was called. A handler that takes long may then return Work::release().
  bool stopping() const;

  // Returns whether the handler should use this dependency. If not, it should return Work::unavailable() with
  // its name at once: the breaker of the dependency is open, or another handler is trying whether it is back.
  // If so, the outcome of this message counts for that breaker.
  bool available(std::string_view dependency) const;

  // Calls `call`, and calls it again as the policy says while it throws. Returns what it returns, or throws
  // the last exception.
  template <class Call>
  decltype(auto) retry(const LocalRetry& policy, Call&& call) const {
    const Timestamp began = time();
    for (std::size_t tried = 1;; ++tried) {
      std::exception_ptr thrown;
      try {
        return call();
      } catch (...) {
        thrown = std::current_exception();
      }
      if (!wait_to_try_again(policy, thrown, began, tried)) std::rethrow_exception(thrown);
    }
  }

 private:
  Timestamp time() const;
  bool wait_to_try_again(const LocalRetry& policy, const std::exception_ptr& thrown, Timestamp began,
                         std::size_t tried) const;

  worker::WorkerImpl& impl_;
  const Delivery& delivery_;
  worker::Uses& uses_;
};

// Handles a message. The worker's threads call it, up to WorkerOptions::concurrency at a time. It may throw.
using WorkHandler = std::function<Work(const Delivery& delivery, const WorkContext& context)>;

// Decides what happens to a message whose handler threw. It must not throw. ExceptionRules is one.
using WorkClassifier = std::function<Work(const std::exception_ptr& thrown)>;

}  // namespace holdfast
