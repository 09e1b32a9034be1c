// Runs Asio and KJ on one thread: KJ's event loop sleeps in Asio's.
#pragma once

#include <kj/async.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <vector>

#include "schema/transport/mailbox.h"

namespace holdfast::transport {

// Gathers writes while the loop runs, and sends them together before the loop sleeps.
class Corked {
 public:
  virtual ~Corked() = default;
  virtual void flush() = 0;
};

class EventPort final : public kj::EventPort {
 public:
  EventPort();

  // Sets the loop that sleeps here. Must be called once, before the loop runs.
  void serve(kj::EventLoop& loop) { loop_ = &loop; }

  // Returns the context, which must never be stopped: the loop would spin.
  boost::asio::io_context& io() { return io_; }
  const std::shared_ptr<Mailbox>& mailbox() { return mailbox_; }

  // Has `corked` flushed once, before the loop next sleeps or looks for I/O.
  void cork(std::shared_ptr<Corked> corked) { corked_.push_back(std::move(corked)); }

  // Returns a promise that is fulfilled after `delay`.
  kj::Promise<void> after(std::chrono::steady_clock::duration delay);

  bool wait() override;
  bool poll() override;
  void wake() const override;

 private:
  void flush_corked();

  mutable boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::shared_ptr<Mailbox> mailbox_;
  kj::EventLoop* loop_ = nullptr;
  std::vector<std::shared_ptr<Corked>> corked_;
  std::vector<std::shared_ptr<Corked>> flushing_;  // kept for its capacity
  mutable std::atomic<bool> woken_ = false;
};

}  // namespace holdfast::transport
