// WorkerTest has a worker over any broker, whose time goes on when the test says so.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "holdfast/worker.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {

class WorkerTest : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create(
        "orders",
        {.lease = std::chrono::minutes(1), .retry = {.max_deliveries = 3}, .dead_letters = {.queue = "dlq"}});
  }

  Worker worker(WorkerOptions options) {
    options.queue = "orders";
    if (options.lease == WorkerOptions().lease) options.lease = std::chrono::seconds(10);
    options.wait = std::chrono::milliseconds(1);
    options.clock = &clock();
    options.on_failure = [this](const Error& error) {
      const std::scoped_lock lock(mutex_);
      failures_.push_back(error.code);
    };
    return must(Worker::make(broker(), std::move(options)));
  }

  std::vector<ErrorCode> failures() {
    const std::scoped_lock lock(mutex_);
    return failures_;
  }

  // Waits until the condition holds. Meanwhile it does what is due by the time that others see.
  void wait_for(const std::function<bool()>& holds) {
    while (!holds()) {
      run_due();
      std::this_thread::yield();
    }
  }

  // Waits until the condition holds. Meanwhile time goes on for all, but no faster than it does outside of
  // the test, and in small steps: a thread that gets no processor for a while must not find that its lease or
  // its call has run out.
  void let_time_pass_until(const std::function<bool()>& holds) {
    using Outside = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kStep(5);
    for (auto before = Outside::now(); !holds();) {
      const auto time = Outside::now();
      advance(std::min<Duration>(std::chrono::duration_cast<Duration>(time - before), kStep));
      before = time;
      std::this_thread::yield();
    }
  }

  // Runs a worker on a thread, and stops it in the destructor.
  class Running {
   public:
    Running(WorkerTest& test, Worker& worker)
        : test_(test), worker_(worker), thread_([this] {
            must(worker_.run());
            ended_ = true;
          }) {}
    ~Running() {
      worker_.stop();
      // A receive may be waiting, so time goes on.
      test_.let_time_pass_until([&] { return ended_.load(); });
      thread_.join();
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    WorkerTest& test_;
    Worker& worker_;
    std::atomic<bool> ended_ = false;
    std::thread thread_;
  };

 private:
  std::mutex mutex_;
  std::vector<ErrorCode> failures_;
};

}  // namespace holdfast::testing
