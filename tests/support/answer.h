// The answers of calls with a callback.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace holdfast::testing {

// Takes one answer; a second one would throw.
template <class T>
class Answer {
 public:
  auto callback() {
    return [promise = promise_](T answer) { promise->set_value(std::move(answer)); };
  }
  bool here() { return future_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
  // Returns the answer. Must be called once. Throws if the answer does not come, which only threads can hold
  // up.
  T get() {
    constexpr std::chrono::minutes kNever(10);
    if (future_.wait_for(kNever) != std::future_status::ready)
      throw std::runtime_error("a call with a callback is never answered");
    return future_.get();
  }

 private:
  std::shared_ptr<std::promise<T>> promise_ = std::make_shared<std::promise<T>>();
  std::future<T> future_ = promise_->get_future();
};

// Counts how often each of many calls is answered. Thread-safe.
class AnswerCounts {
 public:
  auto callback() {
    auto answers = std::make_shared<std::atomic<int>>(0);
    const std::scoped_lock lock(mutex_);
    calls_.push_back(answers);
    return [answers](const auto& /*answer*/) { ++*answers; };
  }
  std::ptrdiff_t not_answered_once() const {
    const std::scoped_lock lock(mutex_);
    return std::ranges::count_if(calls_, [](const auto& answers) { return *answers != 1; });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<std::atomic<int>>> calls_;
};

}  // namespace holdfast::testing
