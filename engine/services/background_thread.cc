#include "engine/services/background_thread.h"

#include <utility>

namespace holdfast {

void BackgroundThread::post(std::function<void()> work) {
  sync::Lock lock(mutex_);
  if (stopping_) {
    lock.unlock();
    return work();
  }
  work_.push_back(std::move(work));
  start_thread();
  wake_.notify_one();
}

void BackgroundThread::look_again() {
  if (!starved_.load(std::memory_order_relaxed)) return;
  const sync::Lock lock(mutex_);
  start_thread();
}

void BackgroundThread::start_thread() {
  if (stopping_ || thread_.joinable()) return;
  auto thread = sync::Thread::start([this] { run(); });
  starved_.store(!thread, std::memory_order_relaxed);
  if (thread) thread_ = *std::move(thread);
}

bool BackgroundThread::idle() const {
  const sync::Lock lock(mutex_);
  return work_.empty() && !working_;
}

void BackgroundThread::stop() {
  sync::Thread thread;
  {
    const sync::Lock lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
    thread = std::move(thread_);
  }
  if (thread.joinable()) return thread.join();
  run();
}

void BackgroundThread::run() {
  sync::Lock lock(mutex_);
  for (;;) {
    while (!stopping_ && work_.empty()) wake_.wait(lock);
    if (work_.empty()) return;
    auto work = std::move(work_.front());
    work_.pop_front();
    working_ = true;
    lock.unlock();
    work();
    work = nullptr;  // what the work holds goes before the lock is taken
    lock.lock();
    working_ = false;
  }
}

}  // namespace holdfast
