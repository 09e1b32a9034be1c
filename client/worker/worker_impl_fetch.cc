// The thread that fetches receives only what handlers and prefetch have room for. That is a single message
// while the breaker tries whether a fault has passed, and none while it is open. After errors it pauses ever
// longer.
#include <algorithm>
#include <iterator>

#include "client/worker/backoff.h"
#include "client/worker/worker_impl.h"
#include "holdfast/limits.h"

namespace holdfast::worker {
namespace {

using namespace std::chrono_literals;

// The pauses after receives that fail.
constexpr Duration kBackoff = 100ms;
constexpr Duration kBackoffMax = 5s;

}  // namespace

Result<void> WorkerImpl::fetch_all(bool until_empty) {
  std::uint64_t errors = 0;  // how many errors came in a row
  sync::Lock lock(mutex_);
  while (const std::size_t max = wait_for_room(lock)) {
    const bool was_idle = is_idle();  // otherwise messages may have come back since
    lock.unlock();
    auto deliveries = broker_.receive(options_.queue, {.max = max,
                                                       .lease = options_.lease,
                                                       .wait = until_empty ? Duration{0} : options_.wait,
                                                       .consumer = options_.consumer,
                                                       .prefetch = true});
    if (!deliveries) failed(deliveries.error());
    lock.lock();
    if (!deliveries) {
      if (until_empty || deliveries.error().code == ErrorCode::kClosed)
        return tl::unexpected(deliveries.error());
      const Timestamp again = now() + backoff(kBackoff, kBackoffMax, ++errors);
      while (!stopping_ && now() < again) time_.until(again, fetching_, lock);
      continue;
    }
    errors = 0;
    if (!deliveries->empty()) {
      take(*std::move(deliveries));
    } else if (until_empty) {
      if (was_idle) return {};
      // stop() may have been called during the call to the broker, and its notification missed.
      if (!stopping_ && !is_idle()) fetching_.wait(lock);
    }
  }
  return {};
}

std::size_t WorkerImpl::wait_for_room(sync::Lock& lock) {
  while (!stopping_) {
    // One look at the clock decides: between two, the pause may end.
    const Breaker::State state = breaker_.state(now());
    if (const std::size_t free = room(state); free > 0) return free;
    if (state == Breaker::State::kOpen) {
      give_back();
      // give_back() releases the lock: stop() may have been called, and its notification missed.
      if (!stopping_) time_.until(breaker_.until(), fetching_, lock);
    } else {
      fetching_.wait(lock);
    }
  }
  return 0;
}

std::size_t WorkerImpl::room(Breaker::State state) const {
  const std::size_t held = waiting_.size() + running_;
  switch (state) {
    case Breaker::State::kOpen:
      return 0;
    case Breaker::State::kTrying:
      return held == 0 ? 1 : 0;
    case Breaker::State::kClosed:
      break;
  }
  const std::size_t most = std::min(options_.concurrency + options_.prefetch, limits::kReceiveMax);
  return held < most ? most - held : 0;
}

void WorkerImpl::take(Deliveries deliveries) {
  const Timestamp time = now();
  for (const Delivery& delivery : deliveries) leases_.add(delivery.receipt, time);
  std::ranges::move(deliveries, std::back_inserter(waiting_));
  handling_.notify_all();
  extending_.notify_one();
}

}  // namespace holdfast::worker
