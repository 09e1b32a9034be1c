#include <algorithm>
#include <utility>

#include "base/validate.h"
#include "client/worker/backoff.h"
#include "client/worker/consumption.h"
#include "holdfast/limits.h"

namespace holdfast::worker {
namespace {

// With more acks than that under way, handlers wait for them.
constexpr std::size_t kAcks = 1'000;

std::uint64_t WorkerCounts::*count_of(Work::Action action) {
  switch (action) {
    case Work::Action::kDone:
      return &WorkerCounts::done;
    case Work::Action::kReject:
      return &WorkerCounts::rejected;
    case Work::Action::kRetry:
      return &WorkerCounts::retried;
    case Work::Action::kRelease:
      return &WorkerCounts::released;
    case Work::Action::kUnavailable:
      break;
  }
  return &WorkerCounts::unavailable;
}

// With what is longer than its limit cut; of too many causes the first, which say the most, and the root.
Rejection bounded(Rejection rejection) {
  rejection.category = bounded_text(rejection.category, limits::kCategoryBytes);
  rejection.code = bounded_text(rejection.code, limits::kErrorCodeBytes);
  auto& causes = rejection.causes;
  if (causes.size() > limits::kNestedErrors)
    causes.erase(causes.begin() + limits::kNestedErrors - 1, causes.end() - 1);
  for (NestedError& cause : causes) {
    cause.code = bounded_text(cause.code, limits::kErrorCodeBytes);
    cause.message = bounded_text(cause.message, limits::kNestedErrorBytes - cause.code.size());
  }
  return rejection;
}

std::optional<Duration> retry_delay(const Work& work, std::uint32_t deliveries) {
  if (!work.delay || !work.delay_max) return work.delay;
  return backoff(*work.delay, *work.delay_max, deliveries);
}

}  // namespace

void Consumption::handle_all() {
  Lock lock(mutex_);
  for (;;) {
    handling_.wait(lock, [this] { return ended_ || may_handle(); });
    if (ended_) return;
    const Delivery delivery = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    lock.unlock();
    handle(delivery);
    lock.lock();
    --running_;
    fetching_.notify_one();
    if (may_handle()) handling_.notify_one();
  }
}

bool Consumption::may_handle() const {
  if (stopping_ || waiting_.empty() || acks_.size() >= kAcks) return false;
  switch (breaker_.state(now())) {
    case Breaker::State::kOpen:
      return false;
    case Breaker::State::kTrying:
      return running_ == 0;
    case Breaker::State::kClosed:
      break;
  }
  return true;
}

void Consumption::handle(const Delivery& delivery) {
  if (auto begun = broker_.begin(delivery.receipt); !begun) {
    failed(begun.error());
    const std::scoped_lock lock(mutex_);
    ++counts_.failed;
    leases_.remove(delivery.receipt);
    return;
  }
  conclude(delivery, judge(delivery));
}

Consumption::Verdict Consumption::judge(const Delivery& delivery) const {
  std::string key;
  if (options_.handled != nullptr) {
    key = options_.key ? options_.key(delivery) : delivery.id.to_string();
    const auto known = options_.handled->was_handled(key);
    if (!known) failed(known.error());
    if (!known) return {Work::retry(), &WorkerCounts::retried};
    if (*known) return {Work::done(), &WorkerCounts::repeated};
  }
  Work work;
  try {
    work = options_.handler(delivery, WorkContext(*this, delivery));
  } catch (...) {
    work = options_.classify(std::current_exception());
  }
  if (work.action == Work::Action::kDone && options_.handled != nullptr) {
    if (auto noted = options_.handled->note_handled(key); !noted) failed(noted.error());
  }
  const auto count = count_of(work.action);
  return {std::move(work), count};
}

void Consumption::conclude(const Delivery& delivery, const Verdict& verdict) {
  const Work::Action action = verdict.work.action;
  Lock lock(mutex_);
  if (verdict.count == &WorkerCounts::done || verdict.count == &WorkerCounts::rejected)
    breaker_.succeeded(now());
  if (action == Work::Action::kUnavailable && breaker_.failed(now())) {
    ++counts_.paused;
    give_back(lock);
  }
  if (action == Work::Action::kDone) {
    acks_.push_back({delivery.receipt, verdict.count});
    acknowledging_.notify_one();
    return;
  }
  const Duration pause = breaker_.pause();
  lock.unlock();
  const auto settled = settle(delivery, verdict.work, pause);
  if (!settled) failed(settled.error());
  lock.lock();
  ++(settled ? counts_.*verdict.count : counts_.failed);
  leases_.remove(delivery.receipt);
}

Result<void> Consumption::settle(const Delivery& delivery, const Work& work, Duration pause) {
  switch (work.action) {
    case Work::Action::kDone:
      break;  // with the others, see ack_all()
    case Work::Action::kReject:
      return reject(delivery.receipt, work.rejection);
    case Work::Action::kRetry:
      return broker_.release(delivery.receipt, {.delay = retry_delay(work, delivery.deliveries)});
    case Work::Action::kRelease:
      return broker_.release(delivery.receipt, {.delay = work.delay, .count = false});
    case Work::Action::kUnavailable:
      return broker_.release(delivery.receipt, {.delay = pause, .count = false});
  }
  return {};
}

// One that is refused would come again until its deliveries are used up.
Result<void> Consumption::reject(const Receipt& receipt, const Rejection& rejection) {
  const auto fits = validate(rejection);
  if (fits) return broker_.reject(receipt, rejection);
  failed(fits.error());
  return broker_.reject(receipt, bounded(rejection));
}

void Consumption::ack_all() {
  Lock lock(mutex_);
  for (;;) {
    acknowledging_.wait(lock, [this] { return ended_ || !acks_.empty(); });
    if (acks_.empty()) return;
    acknowledge(lock);
  }
}

void Consumption::acknowledge(Lock& lock) {
  const std::vector<Ack> acks = std::exchange(acks_, {});
  acking_ = acks.size();
  lock.unlock();
  std::vector<Receipt> receipts;
  receipts.reserve(acks.size());
  for (const Ack& ack : acks) receipts.push_back(ack.receipt);
  const auto results = broker_.ack_batch(receipts);
  for (const auto& result : results) {
    if (!result) failed(result.error());
  }
  lock.lock();
  for (std::size_t i = 0; i < acks.size(); ++i) {
    ++(results[i] ? counts_.*acks[i].count : counts_.failed);
    leases_.remove(acks[i].receipt);
  }
  acking_ = 0;
  fetching_.notify_one();
  handling_.notify_all();
}

}  // namespace holdfast::worker
