// The inside of a Worker: the thread that fetches, those that handle, one that acknowledges, and one that
// extends leases.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "client/clock_wait.h"
#include "client/worker/breaker.h"
#include "client/worker/leases.h"
#include "holdfast/worker.h"

namespace holdfast::worker {

class Consumption {
 public:
  Consumption(Broker& broker, WorkerOptions options);

  // Until stop(), or, if it is to end there, until a receive gives nothing and nothing is under way. One run
  // at a time: the second is refused (kInvalidArgument). kUnavailable if there are no threads to be had.
  Result<void> run(bool until_empty);
  void stop();
  WorkerCounts counts() const;

  // For WorkContext.
  bool is_lost(const Receipt& receipt) const;
  bool is_stopping() const;

 private:
  using Lock = std::unique_lock<std::mutex>;
  class Threads;

  // What is to be done with a message, and where it counts.
  struct Verdict {
    Work work;
    std::uint64_t WorkerCounts::*count;
  };
  struct Ack {
    Receipt receipt;
    std::uint64_t WorkerCounts::*count;
  };

  // Has the run, which is the only one, until it is over.
  Result<void> run_alone(bool until_empty);
  // Nothing more will come: the threads end.
  void end_threads();

  // --- fetching (fetch.cc): the thread that calls run() ---

  Result<void> fetch_all(bool until_empty);
  // How many to fetch, once that is not 0; 0 at the end.
  std::size_t wait_for_room(Lock& lock);
  std::size_t room() const;
  void take(Deliveries deliveries);
  bool is_idle() const { return waiting_.empty() && running_ == 0 && acks_.empty() && acking_ == 0; }

  // --- handling (handling.cc) ---

  void handle_all();
  bool may_handle() const;
  void handle(const Delivery& delivery);
  Verdict judge(const Delivery& delivery) const;
  void conclude(const Delivery& delivery, const Verdict& verdict);
  Result<void> settle(const Delivery& delivery, const Work& work, Duration pause);
  Result<void> reject(const Receipt& receipt, const Rejection& rejection);

  // --- the two that look after what is held ---

  void ack_all();
  void acknowledge(Lock& lock);
  void extend_all();
  // Those that were due at `time`.
  void extend(Lock& lock, const std::vector<Receipt>& receipts, Timestamp time);

  // What waits for a handler goes back. Drops the lock for the call.
  void give_back(Lock& lock);
  void failed(const Error& error) const;
  Timestamp now() const { return time_.now(); }

  Broker& broker_;
  const WorkerOptions options_;
  const client::ClockWait time_;

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable fetching_;
  std::condition_variable handling_;
  std::condition_variable acknowledging_;
  std::condition_variable extending_;
  std::deque<Delivery> waiting_;
  std::size_t running_ = 0;
  std::vector<Ack> acks_;   // to be sent
  std::size_t acking_ = 0;  // under way
  bool in_run_ = false;
  bool stopping_ = false;  // nothing more is fetched
  bool ended_ = false;     // nothing more will come
  Breaker breaker_;
  Leases leases_;
  WorkerCounts counts_;
};

}  // namespace holdfast::worker
