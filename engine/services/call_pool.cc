#include "engine/services/call_pool.h"

#include <string>
#include <utility>

#include "holdfast/limits.h"

namespace holdfast {
namespace {

tl::unexpected<Error> closed() { return fail(ErrorCode::kClosed, "the engine is closed"); }

}  // namespace

std::uint64_t CallPool::post(Work work) {
  sync::Lock lock(mutex_);
  const std::uint64_t number = ++last_number_;
  Result<void> refusal;
  if (stopping_) refusal = closed();
  if (!stopping_ && waiting_.size() == limits::kWaitingCalls) {
    refusal = fail(ErrorCode::kOverloaded,
                   std::to_string(limits::kWaitingCalls) + " calls are waiting, which is the limit");
  }
  if (refusal && idle_ <= waiting_.size() && threads_.size() < kThreads) refusal = add_thread();
  if (!refusal) {
    lock.unlock();
    work(refusal, false);
    return number;
  }
  auto call = std::make_shared<Call>();
  call->work = std::move(work);
  waiting_.emplace(number, std::move(call));
  wake_.notify_one();
  return number;
}

// With fewer threads than are wanted, calls wait longer. Without any, they would wait for ever.
Result<void> CallPool::add_thread() {
  auto thread = sync::Thread::start([this] { run(); });
  if (thread) {
    threads_.push_back(*std::move(thread));
  } else if (threads_.empty()) {
    return tl::unexpected(thread.error());
  }
  return {};
}

void CallPool::cancel(std::uint64_t number) {
  sync::Lock lock(mutex_);
  if (const auto running = running_.find(number); running != running_.end())
    running->second->cancelled = true;
  const auto call = waiting_.extract(number);
  lock.unlock();
  if (call.empty()) return;
  call.mapped()->work(fail(ErrorCode::kCancelled, "the call was cancelled before it began"), true);
}

void CallPool::stop() {
  std::vector<sync::Thread> threads;
  {
    const sync::Lock lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
    threads.swap(threads_);
  }
  for (sync::Thread& thread : threads) thread.join();
}

void CallPool::run() {
  sync::Lock lock(mutex_);
  for (;;) {
    ++idle_;
    while (!stopping_ && waiting_.empty()) wake_.wait(lock);
    --idle_;
    if (waiting_.empty()) return;
    auto taken = waiting_.extract(waiting_.begin());
    const std::uint64_t number = taken.key();
    auto call = std::move(taken.mapped());
    running_.emplace(number, call);
    const Result<void> begins = stopping_ ? Result<void>(closed()) : Result<void>();
    lock.unlock();
    call->work(begins, call->cancelled);
    call->work = nullptr;  // what the call holds may take locks as it goes
    lock.lock();
    running_.erase(number);
  }
}

}  // namespace holdfast
