#include "client/worker/worker_impl.h"

#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "engine/base/helpers/batch_result.h"

namespace holdfast::worker {
namespace {

bool is_over(const Error& error) {
  return error.code == ErrorCode::kReceiptStale || error.code == ErrorCode::kMessageNotFound;
}

}  // namespace

WorkerImpl::WorkerImpl(Broker& broker, WorkerOptions options)
    : broker_(broker),
      options_(std::move(options)),
      time_(options_.clock),
      breaker_(options_.breaker_after, options_.pause, options_.pause_max),
      dependencies_(options_.breaker_after, options_.pause, options_.pause_max),
      leases_(options_.lease) {}

WorkerMetrics WorkerImpl::metrics() const {
  const sync::Lock lock(mutex_);
  WorkerMetrics metrics = metrics_;
  metrics.running = running_;
  metrics.waiting = waiting_.size();
  metrics.paused = breaker_.state(now()) == Breaker::State::kOpen;
  metrics.paused_dependencies = dependencies_.open(now());
  return metrics;
}

bool WorkerImpl::may_use(std::string_view dependency, Uses& uses) {
  const sync::Lock lock(mutex_);
  return dependencies_.may_use(dependency, now(), uses);
}

bool WorkerImpl::wait_until(Timestamp time, const Receipt& receipt) {
  sync::Lock lock(mutex_);
  const auto is_over = [&]()
                           HOLDFAST_REQUIRES(mutex_) { return stopping_ || leases_.is_lost(receipt, now()); };
  while (!is_over() && now() < time) time_.until(time, retrying_, lock);
  if (is_over()) return false;
  ++metrics_.local_retries;
  return true;
}

bool WorkerImpl::is_lost(const Receipt& receipt) const {
  const sync::Lock lock(mutex_);
  return leases_.is_lost(receipt, now());
}

bool WorkerImpl::is_stopping() const {
  const sync::Lock lock(mutex_);
  return stopping_;
}

void WorkerImpl::stop() {
  const sync::Lock lock(mutex_);
  stopping_ = true;
  fetching_.notify_one();
  retrying_.notify_all();
}

// The threads of one run. They end, and are joined, however the run ends.
class WorkerImpl::Threads {
 public:
  // Throws std::system_error if not all threads can be had.
  explicit Threads(WorkerImpl& own) : impl_(own) {
    try {
      for (std::size_t i = 0; i < own.options_.concurrency; ++i) add([&own] { own.handle_all(); });
      add([&own] { own.ack_all(); });
      add([&own] { own.extend_all(); });
    } catch (...) {
      join();
      throw;
    }
  }
  ~Threads() { join(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  template <class Work>
  void add(Work work) {
    threads_.emplace_back(work);
  }

  void join() {
    impl_.end_threads();
    for (std::thread& thread : threads_) thread.join();
  }

  WorkerImpl& impl_;
  std::vector<std::thread> threads_;
};

void WorkerImpl::end_threads() {
  {
    const sync::Lock lock(mutex_);
    ended_ = true;
  }
  handling_.notify_all();
  acknowledging_.notify_one();
  extending_.notify_one();
}

Result<void> WorkerImpl::run(bool until_empty) {
  {
    const sync::Lock lock(mutex_);
    if (stopping_) return {};
    if (std::exchange(in_run_, true))
      return fail(ErrorCode::kInvalidArgument, "run: the worker is running already");
    ended_ = false;
    max_deliveries_.reset();
  }
  auto result = run_alone(until_empty);
  const sync::Lock lock(mutex_);
  in_run_ = false;
  return result;
}

Result<void> WorkerImpl::run_alone(bool until_empty) {
  try {
    const Threads threads(*this);
    auto result = fetch_all(until_empty);
    sync::Lock lock(mutex_);
    give_back();
    while (!is_idle()) fetching_.wait(lock);
    return result;
  } catch (const std::exception& e) {
    return fail(ErrorCode::kUnavailable, std::string("cannot start the worker's threads: ") + e.what());
  }
}

void WorkerImpl::give_back() {
  if (waiting_.empty()) return;
  std::vector<Receipt> receipts;
  for (const Delivery& delivery : std::exchange(waiting_, {})) {
    receipts.push_back(delivery.receipt);
    leases_.remove(delivery.receipt);
  }
  std::vector<Result<void>> released;
  {
    const sync::Unlocked unlocked(mutex_);
    released =
        by_entry(broker_.release_batch(receipts, {.delay = Duration{0}, .charge = false}), receipts.size());
    for (const auto& one : released) {
      if (!one) failed(one.error());
    }
  }
  for (const auto& one : released) ++(one ? counts_.returned : counts_.failed);
}

void WorkerImpl::extend_all() {
  sync::Lock lock(mutex_);
  while (!ended_) {
    const Timestamp time = now();
    const auto due = leases_.take_due(time);
    if (due.empty()) {
      time_.until(leases_.next_due(), extending_, lock);
    } else {
      extend(due, time);
    }
  }
}

// A call that fails may have taken long, and may have extended nothing, so the next try counts from the time
// when this one began. It may be due already, but no two tries for one lease begin within a tenth of its
// length.
void WorkerImpl::extend(const std::vector<Receipt>& receipts, Timestamp time) {
  std::vector<Result<void>> extended;
  {
    const sync::Unlocked unlocked(mutex_);
    extended = by_entry(broker_.extend_batch(receipts, options_.lease), receipts.size());
    for (const auto& one : extended) {
      if (!one && !is_over(one.error())) failed(one.error());
    }
  }
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    if (extended[i]) {
      leases_.renewed(receipts[i], time);
    } else if (is_over(extended[i].error())) {
      leases_.lose(receipts[i]);
    } else {
      leases_.try_again(receipts[i], time);
    }
  }
  retrying_.notify_all();  // some may be lost now
}

void WorkerImpl::failed(const Error& error) const {
  if (options_.on_failure) options_.on_failure(error);
}

}  // namespace holdfast::worker
