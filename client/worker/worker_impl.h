// WorkerImpl is the inside of a Worker: the thread that fetches, the threads that handle, one that
// acknowledges and one that extends leases.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "client/common/clock_wait.h"
#include "client/worker/breaker.h"
#include "client/worker/dependencies.h"
#include "client/worker/leases.h"
#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"
#include "engine/sync/unlocked.h"
#include "holdfast/worker.h"

namespace holdfast::worker {

class WorkerImpl {
 public:
  WorkerImpl(Broker& broker, WorkerOptions options);

  // Works until stop() or, with `until_empty`, until a receive returns nothing and nothing is under way.
  // kInvalidArgument if another run is under way; kUnavailable if its threads cannot be had.
  Result<void> run(bool until_empty);
  void stop();
  WorkerMetrics metrics() const;

  // WorkContext is made of is_lost(), is_stopping(), may_use() and time().
  bool is_lost(const Receipt& receipt) const;
  bool is_stopping() const;
  bool may_use(std::string_view dependency, Uses& uses);
  Timestamp time() const { return now(); }
  Duration lease() const { return options_.lease; }
  // Waits before a call is tried again. Returns false if it must not be: the worker stops, or the lease is
  // lost.
  bool wait_until(Timestamp time, const Receipt& receipt);

 private:
  class Threads;

  // A Verdict says what must be done with a message, and which count it adds to.
  struct Verdict {
    Work work;
    std::uint64_t WorkerCounts::*count;
  };
  struct Ack {
    Receipt receipt;
    std::uint64_t WorkerCounts::*count;
  };

  // Works as the only run, until it is over.
  Result<void> run_alone(bool until_empty);
  // Says that nothing more will come, so that the threads end.
  void end_threads();

  // --- fetching (fetch.cc): the thread that calls run() ---

  Result<void> fetch_all(bool until_empty);
  // Waits until there is room, and returns how many messages to fetch; 0 at the end.
  std::size_t wait_for_room(sync::Lock& lock) HOLDFAST_REQUIRES(mutex_);
  std::size_t room(Breaker::State state) const HOLDFAST_REQUIRES(mutex_);
  void take(Deliveries deliveries) HOLDFAST_REQUIRES(mutex_);
  bool is_idle() const HOLDFAST_REQUIRES(mutex_) {
    return waiting_.empty() && running_ == 0 && acks_.empty() && acking_ == 0;
  }

  // --- handling (handling.cc) ---

  void handle_all();
  bool may_handle() const HOLDFAST_REQUIRES(mutex_);
  void handle(const Delivery& delivery);
  Verdict judge(const Delivery& delivery, Uses& uses);
  // Returns what the handler answers, or what its exception means.
  Work run_handler(const Delivery& delivery, Uses& uses);
  // Turns the verdict into a failure if the message has been unavailable for too long.
  void judge_outage(const Delivery& delivery, Verdict& verdict) HOLDFAST_REQUIRES(mutex_);
  void conclude(const Delivery& delivery, Verdict verdict, const Uses& uses);
  // Tells the breakers the outcome. Returns how long the message must wait if something was unavailable.
  Duration tell_breakers(const Verdict& verdict, const Uses& uses) HOLDFAST_REQUIRES(mutex_);
  Result<void> settle(const Delivery& delivery, const Work& work, Duration pause);
  void tell_failed(const Delivery& delivery, const Work& work);
  std::uint64_t& category_count(const std::string& category) HOLDFAST_REQUIRES(mutex_);
  bool is_last(const Delivery& delivery);
  // Returns after how many deliveries a message of the queue dies: 0 if there is no bound, or if the broker
  // does not tell.
  std::uint32_t max_deliveries();
  // Returns the failure with its texts cut to their limits: a rejection that is refused would come again
  // until its deliveries are used up.
  Failure fitting(const Failure& failure) const;

  // --- acknowledging and extending: one thread each ---

  void ack_all();
  // Releases the lock during the call to the broker.
  void acknowledge() HOLDFAST_REQUIRES(mutex_);
  void extend_all();
  // Extends the leases that were due at `time`. Releases the lock during the call to the broker.
  void extend(const std::vector<Receipt>& receipts, Timestamp time) HOLDFAST_REQUIRES(mutex_);

  // Gives back the messages that wait for a handler. Releases the lock during the call to the broker.
  void give_back() HOLDFAST_REQUIRES(mutex_);
  void failed(const Error& error) const;
  Timestamp now() const { return time_.now(); }

  Broker& broker_;
  const WorkerOptions options_;
  const client::ClockWait time_;

  mutable sync::Mutex mutex_;
  sync::ConditionVariable fetching_;
  sync::ConditionVariable handling_;
  sync::ConditionVariable acknowledging_;
  sync::ConditionVariable extending_;
  std::deque<Delivery> waiting_ HOLDFAST_GUARDED_BY(mutex_);
  std::size_t running_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  std::vector<Ack> acks_ HOLDFAST_GUARDED_BY(mutex_);   // acks that must be sent
  std::size_t acking_ HOLDFAST_GUARDED_BY(mutex_) = 0;  // acks that are under way
  bool in_run_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;  // nothing more is fetched
  bool ended_ HOLDFAST_GUARDED_BY(mutex_) = false;     // nothing more will come
  sync::ConditionVariable retrying_;                   // for handlers that wait to try a call again
  Breaker breaker_ HOLDFAST_GUARDED_BY(mutex_);
  Dependencies dependencies_ HOLDFAST_GUARDED_BY(mutex_);
  Outages outages_ HOLDFAST_GUARDED_BY(mutex_);
  Leases leases_ HOLDFAST_GUARDED_BY(mutex_);
  WorkerMetrics metrics_ HOLDFAST_GUARDED_BY(mutex_);  // the metrics that are counts
  WorkerCounts& counts_ HOLDFAST_GUARDED_BY(mutex_) = metrics_.counts;
  std::optional<std::uint32_t> max_deliveries_ HOLDFAST_GUARDED_BY(mutex_);  // once the run has asked for it
};

}  // namespace holdfast::worker
