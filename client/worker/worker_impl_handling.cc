// A handler's thread starts a delivery, runs the handler, and settles as the verdict says. Only acks are left
// to a thread of their own, which sends those that have gathered in one call. No lock is held while a handler
// runs or the broker is called.
#include <algorithm>
#include <utility>

#include "client/worker/backoff.h"
#include "client/worker/log.h"
#include "client/worker/worker_impl.h"
#include "engine/base/helpers/batch_result.h"
#include "engine/base/helpers/bounded_failure.h"
#include "engine/base/validation/validate.h"
#include "holdfast/limits.h"

namespace holdfast::worker {
namespace {

// Rounds a time to seconds for people; one below half a second stays as it is.
Duration whole_seconds(Duration time) {
  const auto seconds = std::chrono::round<std::chrono::seconds>(time);
  return seconds.count() > 0 ? Duration(seconds) : time;
}

// If more acks than this are under way, handlers wait for them.
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

// Fills in from the exception what the handler did not say itself.
void fill_in(Failure& said, Failure thrown) {
  const auto fill = []<class Text>(Text& to, Text from) {
    if (to.empty()) to = std::move(from);
  };
  fill(said.reason, std::move(thrown.reason));
  fill(said.code, std::move(thrown.code));
  fill(said.stack_trace, std::move(thrown.stack_trace));
  fill(said.causes, std::move(thrown.causes));
}

std::optional<Duration> retry_delay(const Work& work, std::uint32_t deliveries) {
  if (!work.delay || !work.delay_max) return work.delay;
  return backoff(*work.delay, *work.delay_max, deliveries);
}

}  // namespace

void WorkerImpl::handle_all() {
  sync::Lock lock(mutex_);
  for (;;) {
    while (!ended_ && !may_handle()) handling_.wait(lock);
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

bool WorkerImpl::may_handle() const {
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

void WorkerImpl::handle(const Delivery& delivery) {
  const Timestamp began = now();
  if (auto started = broker_.start(delivery.receipt); !started) {
    failed(started.error());
    const sync::Lock lock(mutex_);
    ++counts_.failed;
    leases_.remove(delivery.receipt);
    return;
  }
  {
    const sync::Lock lock(mutex_);
    leases_.renewed(delivery.receipt, began);
  }
  Uses uses;
  Verdict verdict = judge(delivery, uses);
  conclude(delivery, std::move(verdict), uses);
}

Work WorkerImpl::run_handler(const Delivery& delivery, Uses& uses) {
  const Timestamp began = now();
  std::exception_ptr thrown;
  Work work;
  try {
    work = options_.handler(delivery, WorkContext(*this, delivery, uses));
  } catch (...) {
    thrown = std::current_exception();
  }
  if (thrown) {
    work = options_.classify(thrown);
    const bool fails = work.action != Work::Action::kDone && work.action != Work::Action::kRelease;
    if (fails) fill_in(work.failure, failure_of(thrown));
  }
  const Duration took = now() - began;
  const sync::Lock lock(mutex_);
  metrics_.thrown += thrown ? 1 : 0;
  metrics_.handling += took;
  metrics_.longest_handling = std::max(metrics_.longest_handling, took);
  return work;
}

WorkerImpl::Verdict WorkerImpl::judge(const Delivery& delivery, Uses& uses) {
  std::string key;
  if (options_.handled != nullptr) {
    key = options_.key ? options_.key(delivery) : delivery.id.to_string();
    const auto known = options_.handled->was_handled(key);
    if (!known) {
      failed(known.error());
      return {Work::retry({.category = "handled_log", .reason = to_string(known.error())}),
              &WorkerCounts::retried};
    }
    if (*known) return {Work::done(), &WorkerCounts::repeated};
  }
  Work work = run_handler(delivery, uses);
  if (work.action == Work::Action::kDone && options_.handled != nullptr) {
    if (auto noted = options_.handled->note_handled(key); !noted) failed(noted.error());
  }
  const auto count = count_of(work.action);
  return {std::move(work), count};
}

void WorkerImpl::judge_outage(const Delivery& delivery, Verdict& verdict) {
  Work& work = verdict.work;
  if (work.action != Work::Action::kUnavailable) return outages_.forget(delivery.id);
  const Timestamp time = now();
  const Duration outage = time - outages_.note(delivery.id, delivery.replays, time);
  if (options_.max_unavailable == Duration{0} || outage < options_.max_unavailable) return;
  ++metrics_.outlived;
  verdict.count = &WorkerCounts::retried;
  Failure failure = std::move(work.failure);
  if (failure.category.empty()) failure.category = "unavailable";
  const std::string what = work.dependency.empty() ? "what it depends on" : work.dependency;
  const std::string why = failure.reason.empty() ? "" : ": " + failure.reason;
  failure.reason = what + " has been unavailable for " + format_duration(whole_seconds(outage)) + why;
  work = Work::retry(std::move(failure));
}

Duration WorkerImpl::tell_breakers(const Verdict& verdict, const Uses& uses) {
  const Work& work = verdict.work;
  const bool is_down = work.action == Work::Action::kUnavailable;
  const bool done = verdict.count == &WorkerCounts::done || verdict.count == &WorkerCounts::rejected;
  if (done) breaker_.succeeded(now());
  const bool opened =
      dependencies_.settled(uses, is_down ? work.dependency : std::string_view(), done, now());
  if (!is_down) return Duration{0};
  if (!work.dependency.empty()) {
    counts_.paused += opened ? 1 : 0;
    return dependencies_.pause(work.dependency);
  }
  if (breaker_.failed(now())) {
    ++counts_.paused;
    give_back();
  }
  return breaker_.pause();
}

void WorkerImpl::conclude(const Delivery& delivery, Verdict verdict, const Uses& uses) {
  sync::Lock lock(mutex_);
  const Duration pause = tell_breakers(verdict, uses);
  judge_outage(delivery, verdict);
  if (verdict.work.action == Work::Action::kDone) {
    acks_.push_back({delivery.receipt, verdict.count});
    acknowledging_.notify_one();
    return;
  }
  lock.unlock();
  verdict.work.failure = fitting(verdict.work.failure);
  const auto settled = settle(delivery, verdict.work, pause);
  if (!settled) failed(settled.error());
  if (settled) tell_failed(delivery, verdict.work);
  lock.lock();
  ++(settled ? counts_.*verdict.count : counts_.failed);
  leases_.remove(delivery.receipt);
}

Result<void> WorkerImpl::settle(const Delivery& delivery, const Work& work, Duration pause) {
  switch (work.action) {
    case Work::Action::kDone:
      break;  // ack_all() sends it with others
    case Work::Action::kReject:
      return broker_.reject(delivery.receipt, work.failure);
    case Work::Action::kRetry:
      return broker_.release(delivery.receipt,
                             {.delay = retry_delay(work, delivery.deliveries), .failure = work.failure});
    case Work::Action::kRelease:
      return broker_.release(delivery.receipt, {.delay = work.delay, .charge = false});
    case Work::Action::kUnavailable:
      return broker_.release(delivery.receipt, {.delay = pause, .charge = false});
  }
  return {};
}

bool WorkerImpl::is_last(const Delivery& delivery) {
  const std::uint32_t most = max_deliveries();
  return most != 0 && delivery.deliveries >= most;
}

// Only FailedDelivery::dies needs the queue's options. So the first delivery that fails asks for them: a run
// does not begin with a call that its stop would have to wait for, and a worker that may not ask does
// without. Of deliveries that fail together, each may ask.
std::uint32_t WorkerImpl::max_deliveries() {
  {
    const sync::Lock lock(mutex_);
    if (max_deliveries_) return *max_deliveries_;
  }
  const auto info = broker_.describe_queue(options_.queue);
  const bool dies = info && !info->options.dead_letters.queue.empty();
  const std::uint32_t most = dies ? info->options.retry.max_deliveries : 0;
  const sync::Lock lock(mutex_);
  max_deliveries_ = most;
  return most;
}

void WorkerImpl::tell_failed(const Delivery& delivery, const Work& work) {
  const bool rejected = work.action == Work::Action::kReject;
  if (!rejected && work.action != Work::Action::kRetry) return;
  const FailedDelivery told{.queue = options_.queue,
                            .delivery = delivery,
                            .failure = work.failure,
                            .action = work.action,
                            .dies = rejected || is_last(delivery)};
  options_.on_failed_delivery ? options_.on_failed_delivery(told) : log_failed(told);
  const sync::Lock lock(mutex_);
  metrics_.died += told.dies ? 1 : 0;
  ++category_count(work.failure.category);
}

// Categories also come from exceptions and messages, so nothing else bounds how many there are.
std::uint64_t& WorkerImpl::category_count(const std::string& category) {
  auto& counts = metrics_.failed_by_category;
  if (counts.size() < kWorkerCategories || counts.contains(category)) return counts[category];
  return counts[std::string(kOtherCategories)];
}

Failure WorkerImpl::fitting(const Failure& failure) const {
  const auto fits = validate(failure);
  if (fits) return failure;
  failed(fits.error());
  return bounded(failure);
}

void WorkerImpl::ack_all() {
  sync::Lock lock(mutex_);
  for (;;) {
    while (!ended_ && acks_.empty()) acknowledging_.wait(lock);
    if (acks_.empty()) return;
    acknowledge();
  }
}

void WorkerImpl::acknowledge() {
  const std::vector<Ack> acks = std::exchange(acks_, {});
  acking_ = acks.size();
  std::vector<Receipt> receipts;
  receipts.reserve(acks.size());
  for (const Ack& ack : acks) receipts.push_back(ack.receipt);
  std::vector<Result<void>> results;
  {
    const sync::Unlocked unlocked(mutex_);
    results = by_entry(broker_.ack_batch(receipts), receipts.size());
    for (const auto& result : results) {
      if (!result) failed(result.error());
    }
  }
  for (std::size_t i = 0; i < acks.size(); ++i) {
    ++(results[i] ? counts_.*acks[i].count : counts_.failed);
    leases_.remove(acks[i].receipt);
  }
  acking_ = 0;
  fetching_.notify_one();
  handling_.notify_all();
}

}  // namespace holdfast::worker
