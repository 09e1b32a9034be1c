// What a worker's handler is given beside the message, and what it says became of it.
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

// What became of a message in its handler.
struct Work {
  enum class Action : std::uint8_t {
    kDone,     // acknowledged, as durably as the queue says
    kReject,   // dead-lettered now; what is past its limit is cut, and but for the reason on_failure hears of
               // it
    kRetry,    // released, charged
    kRelease,  // released, not charged
    // What it depends on is down: released, not charged, and the breaker hears of it. Once that has gone on
    // for the worker's `max_unavailable` it is a failure, as kRetry is.
    kUnavailable,
  };

  Action action = Action::kDone;
  // Why, of kReject, kRetry and kUnavailable: kept with the message, and in its record should it die. What is
  // empty is filled in from the exception, if the handler threw one: see failure_of().
  Failure failure = {};
  // Of kUnavailable: what is down. Only what needs it waits for it; without a name everything does.
  std::string dependency = {};
  // Before it is handed out again, 0..limits::kDelayMax. Default of kRetry: as the queue's retry policy says;
  // of kRelease: none. Of kUnavailable it is the breaker's pause.
  std::optional<Duration> delay = {};
  // Of kRetry with a delay: the delay is doubled with each charged delivery, up to this one.
  std::optional<Duration> delay_max = {};

  static Work done();
  static Work reject(Rejection rejection);
  static Work retry(std::optional<Duration> delay = {});
  static Work retry(Failure failure, std::optional<Duration> delay = {});
  // After min(first * 2^(deliveries - 1), max). A queue's retry policy can spread retries at random, too.
  static Work retry_with_backoff(Duration first, Duration max);
  static Work release(Duration delay = {});
  static Work unavailable(std::string dependency = {});
};

// A policy for a call within a handler that may work the next time: a message need not be given back for each
// hiccup of what it depends on. Waits end early when the worker stops or the lease is lost.
struct LocalRetry {
  std::size_t attempts = 3;  // all of them, the first too; 1 or more
  // Before the n-th attempt after the first: min(first * 2^(n - 1), max).
  Duration first = std::chrono::milliseconds(100);
  Duration max = std::chrono::seconds(5);
  double jitter = 0.5;  // 0..1: the share of a wait by which it may be shorter, at random
  // No attempt begins later than this after the first one did. Default: the worker's lease.
  std::optional<Duration> within = {};
  // Whether it makes sense to try again after this exception. Default: after any.
  std::function<bool(const std::exception_ptr&)> retryable = {};
};

// Valid as long as the handler runs.
class WorkContext {
 public:
  WorkContext(worker::WorkerImpl& impl, const Delivery& delivery, worker::Uses& uses)
      : impl_(impl), delivery_(delivery), uses_(uses) {}
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

  // Whether the handler should use what is called so; if not, it had better say Work::unavailable() of it at
  // once. False while its breaker is open, and while another handler tries whether it is there again. What
  // comes of this message then counts for its breaker.
  bool available(std::string_view dependency) const;

  // What `call` returns, tried again as the policy says while it throws. The last exception is thrown on.
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

// Called on threads of the worker's, so many at a time as its `concurrency` says. It may throw.
using WorkHandler = std::function<Work(const Delivery& delivery, const WorkContext& context)>;

// What an exception of a handler means. Must not throw. ExceptionRules is one.
using WorkClassifier = std::function<Work(const std::exception_ptr& thrown)>;

}  // namespace holdfast
