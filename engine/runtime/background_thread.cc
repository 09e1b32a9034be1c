#include "runtime/background_thread.h"

#include <utility>

namespace holdfast {

void BackgroundThread::post(std::function<void()> work) {
  std::unique_lock lock(mutex_);
  if (stopping_) {
    lock.unlock();
    return work();
  }
  work_.push_back(std::move(work));
  if (!thread_.joinable()) thread_ = sync::Thread([this] { run(); });
  wake_.notify_one();
}

bool BackgroundThread::idle() const {
  const std::scoped_lock lock(mutex_);
  return work_.empty() && !working_;
}

void BackgroundThread::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void BackgroundThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stopping_ || !work_.empty(); });
    if (work_.empty()) return;
    auto work = std::move(work_.front());
    work_.pop_front();
    working_ = true;
    lock.unlock();
    work();
    work = nullptr;  // what it holds goes before the lock is taken
    lock.lock();
    working_ = false;
  }
}

}  // namespace holdfast
