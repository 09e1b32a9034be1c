// Keeps the looks at the server of the campaign of cuts (cuts_test.cc) apart from what disturbs them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>

namespace holdfast::testing {

// Makes sure that those who look at the server do so between two kills or drains.
class Peace {
 public:
  class Kept {
   public:
    explicit Kept(Peace& peace) : peace_(peace) {
      std::unique_lock lock(peace_.mutex_);
      peace_.changed_.wait(lock, [&] { return peace_.wars_ == 0; });
      ++peace_.keepers_;
    }
    ~Kept() {
      const std::scoped_lock lock(peace_.mutex_);
      --peace_.keepers_;
      peace_.changed_.notify_all();
    }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;

   private:
    Peace& peace_;
  };

  // Makes war once nobody looks. Nobody begins to look while a war is waited for: those who look take turns,
  // and would put it off for ever.
  void interrupt(const std::function<void()>& war) {
    std::unique_lock lock(mutex_);
    ++wars_;
    changed_.wait(lock, [&] { return keepers_ == 0; });
    war();
    --wars_;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t wars_ = 0;  // how many wars are waited for or made
  std::size_t keepers_ = 0;
};

}  // namespace holdfast::testing
