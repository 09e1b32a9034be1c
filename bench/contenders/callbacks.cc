#include "bench/contenders/callbacks.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "bench/contenders/callers.h"
#include "bench/contenders/engine_queue.h"
#include "engine/base/helpers/batch_result.h"

namespace holdfast::bench {
namespace {

// Chains of calls: each starts its next call in the callback of its last one, until stop().
class Chains {
 public:
  Chains(Engine& engine, std::size_t body_bytes) : engine_(engine), bodies_(body_bytes) {}

  // Starts the callers. It must be called once, before stop().
  void start(std::size_t callers) {
    running_ = 2 * callers;
    for (std::size_t i = 0; i < callers; ++i) {
      send();
      receive();
    }
  }

  std::uint64_t acked() const { return acked_.load(std::memory_order_relaxed); }

  // Returns when the last callback has run and the queue is empty.
  void stop() {
    stop_ = true;
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return running_ == 0; });
    if (!failure_.empty()) throw BenchError(failure_);
    if (acked_stamps_ + drain(engine_) != sent_stamps_) throw BenchError(kChanged);
  }

 private:
  void send() {
    if (stop_) return end();
    Bodies body;
    {
      const std::lock_guard lock(mutex_);
      body = bodies_.next(1);
    }
    sent_stamps_.fetch_add(stamp_of(body.front()), std::memory_order_relaxed);
    engine_.async_send_batch(kQueue, to_messages(std::move(body)), {}, [this](auto sent) {
      if (!sent) return fail_with("send: " + to_string(sent.error()));
      if (!sent->front()) return fail_with("send: " + to_string(sent->front().error()));
      send();
    });
  }

  void receive() {
    if (stop_) return end();
    engine_.async_receive(kQueue, {.max = 1, .wait = kWait}, [this](auto deliveries) {
      if (!deliveries) return fail_with("receive: " + to_string(deliveries.error()));
      if (deliveries->empty()) return receive();
      const std::uint64_t stamp = stamp_of(deliveries->front().body);
      engine_.async_ack_batch(receipts_of(*deliveries), {}, [this, stamp](auto acked) {
        const Result<void> done = only_answer<void>(std::move(acked));
        if (!done) return fail_with("ack: " + to_string(done.error()));
        acked_stamps_.fetch_add(stamp, std::memory_order_relaxed);
        acked_.fetch_add(1, std::memory_order_relaxed);
        receive();
      });
    });
  }

  void fail_with(std::string failure) {
    stop_ = true;
    {
      const std::lock_guard lock(mutex_);
      failure_ = std::move(failure);
    }
    end();
  }

  // Notifies under the lock: stop() may return, and this object may be gone, as soon as the lock is released.
  void end() {
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) ended_.notify_one();
  }

  Engine& engine_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> acked_{0};
  std::atomic<std::uint64_t> sent_stamps_{0};
  std::atomic<std::uint64_t> acked_stamps_{0};
  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t running_ = 0;
  BodySource bodies_;
  std::string failure_;
};

}  // namespace

Sample run_callbacks(Engine& engine, std::size_t callers, std::size_t body_bytes,
                     std::chrono::duration<double> duration) {
  Chains chains(engine, body_bytes);
  Meter meter;
  chains.start(callers);
  const std::uint64_t before = chains.acked();
  meter.start();
  std::this_thread::sleep_for(duration);
  meter.stop(chains.acked() - before);
  chains.stop();
  return meter.total();
}

}  // namespace holdfast::bench
