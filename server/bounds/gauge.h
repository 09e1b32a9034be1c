// A count of things under way.
#pragma once

#include <kj/async.h>

#include <cstddef>
#include <vector>

namespace holdfast::server {

// Only the loop's thread uses it.
class Gauge {
 public:
  void add() { ++count_; }
  void remove() {
    if (--count_ > 0) return;
    for (auto& waiter : waiters_) waiter->fulfill();
    waiters_.clear();
  }

  // Returns a promise that is fulfilled when nothing is under way.
  kj::Promise<void> zero() {
    if (count_ == 0) return kj::READY_NOW;
    auto pending = kj::newPromiseAndFulfiller<void>();
    waiters_.push_back(kj::mv(pending.fulfiller));
    return kj::mv(pending.promise);
  }

  std::size_t count() const { return count_; }

 private:
  std::size_t count_ = 0;
  std::vector<kj::Own<kj::PromiseFulfiller<void>>> waiters_;
};

}  // namespace holdfast::server
