// The answer of a call with a callback.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <utility>

namespace holdfast::testing {

// Takes one answer; a second one would throw.
template <class T>
class Answer {
 public:
  auto callback() {
    return [promise = promise_](T answer) { promise->set_value(std::move(answer)); };
  }
  bool here() { return future_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
  // Once. Throws if it does not come, which only threads can hold up.
  T get() {
    constexpr std::chrono::seconds kNever(30);
    if (future_.wait_for(kNever) != std::future_status::ready)
      throw std::runtime_error("a call with a callback is never answered");
    return future_.get();
  }

 private:
  std::shared_ptr<std::promise<T>> promise_ = std::make_shared<std::promise<T>>();
  std::future<T> future_ = promise_->get_future();
};

}  // namespace holdfast::testing
