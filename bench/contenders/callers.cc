#include "bench/contenders/callers.h"

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bench/contenders/engine_queue.h"

namespace holdfast::bench {
namespace {

class Callers {
 public:
  explicit Callers(Engine& engine) : engine_(engine) {}

  void produce(std::size_t body_bytes) {
    run([&, bodies = BodySource(body_bytes)]() mutable {
      std::string body = std::move(bodies.next(1).front());
      sent_stamps_.fetch_add(stamp_of(body), std::memory_order_relaxed);
      require(engine_.send(kQueue, {.body = std::move(body)}), "send");
    });
  }

  void consume() {
    run([&] {
      for (const auto& delivery : require(engine_.receive(kQueue, {.max = 1, .wait = kWait}), "receive")) {
        require(engine_.ack(delivery.receipt), "ack");
        acked_stamps_.fetch_add(stamp_of(delivery.body), std::memory_order_relaxed);
        acked_.fetch_add(1, std::memory_order_relaxed);
      }
    });
  }

  std::uint64_t acked() const { return acked_.load(std::memory_order_relaxed); }
  void stop() { stop_ = true; }

  // Empties the queue. Throws what went wrong, if anything did. Must be called after stop() and the end of
  // all callers.
  void finish() {
    if (!failure_.empty()) throw BenchError(failure_);
    if (acked_stamps_ + drain(engine_) != sent_stamps_) throw BenchError(kChanged);
  }

 private:
  template <class Step>
  void run(Step step) {
    try {
      while (!stop_) step();
    } catch (const BenchError& error) {
      const std::lock_guard lock(mutex_);
      failure_ = error.what();
      stop_ = true;
    }
  }

  Engine& engine_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> acked_{0};
  std::atomic<std::uint64_t> sent_stamps_{0};
  std::atomic<std::uint64_t> acked_stamps_{0};
  std::mutex mutex_;
  std::string failure_;
};

}  // namespace

Sample run_threads(Engine& engine, std::size_t callers, std::size_t body_bytes,
                   std::chrono::duration<double> duration) {
  Callers work(engine);
  Meter meter;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < callers; ++i) {
      threads.emplace_back([&] { work.produce(body_bytes); });
      threads.emplace_back([&] { work.consume(); });
    }
    const std::uint64_t before = work.acked();
    meter.start();
    std::this_thread::sleep_for(duration);
    meter.stop(work.acked() - before);
    work.stop();
  }
  work.finish();
  return meter.total();
}

std::uint64_t drain(Engine& engine) {
  std::uint64_t stamps = 0;
  for (;;) {
    const auto left = require(engine.receive(kQueue, {.max = 1000}), "receive");
    if (left.empty()) return stamps;
    for (const auto& delivery : left) stamps += stamp_of(delivery.body);
    require_all(engine.ack_batch(receipts_of(left), {.durability = Durability::kBuffered}), "ack");
  }
}

}  // namespace holdfast::bench
