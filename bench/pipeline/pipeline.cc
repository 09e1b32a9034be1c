#include "bench/pipeline/pipeline.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include "bench/pipeline/process.h"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kDrainTime = 20s;
constexpr auto kPollTime = 50us;

std::uint64_t nanoseconds(Clock::time_point time) {
  return static_cast<std::uint64_t>(time.time_since_epoch() / 1ns);
}
double microseconds_since(std::uint64_t then) {
  return static_cast<double>(nanoseconds(Clock::now()) - then) / 1000;
}

double own_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// The work of one turn.
class Turn {
 public:
  Turn(const Shape& shape, bool delivers)
      : shape_(shape),
        delivers_(delivers),
        ahead_(Pipeline::kAhead * shape.workload.batch * shape.producers) {}

  void produce(Producer& producer, std::size_t number) {
    attempt([&] {
      Latencies latencies;
      Bodies bodies = BodySource(shape_.workload.body_bytes).next(shape_.workload.batch);
      auto next = Clock::now() + pace() * number / shape_.producers;
      while (!stopping_) {
        if (!shape_.rate && sent_ - delivered_ > ahead_) {
          std::this_thread::sleep_for(kPollTime);
          continue;
        }
        auto begin = Clock::now();
        if (shape_.rate) {
          std::this_thread::sleep_until(next);
          // A send that is late, since the one before it took long, has been on its way since it was due.
          begin = std::exchange(next, next + pace());
        }
        const std::uint64_t stamp = nanoseconds(begin);
        for (std::string& body : bodies) std::memcpy(body.data(), &stamp, sizeof(stamp));
        sent_stamps_ += stamp * bodies.size();
        sent_ += bodies.size();
        producer.send(bodies);
        latencies.add(microseconds_since(stamp));
        if (!delivers_) delivered_ += bodies.size();
      }
      const std::lock_guard lock(mutex_);
      passage_.send.add(latencies);
    });
  }

  void consume(Consumer& consumer) {
    attempt([&] {
      Latencies latencies;
      while (!ended_) {
        std::uint64_t count = 0;
        std::uint64_t stamps = 0;
        consumer.consume([&](std::string_view body) {
          if (body.size() != shape_.workload.body_bytes) throw BenchError("a body came back changed");
          const std::uint64_t stamp = stamp_of(body);
          latencies.add(microseconds_since(stamp));
          stamps += stamp;
          ++count;
        });
        delivered_stamps_ += stamps;
        delivered_ += count;
      }
      consumer.finish();
      const std::lock_guard lock(mutex_);
      passage_.delivery.add(latencies);
    });
  }

  std::uint64_t delivered() const { return delivered_; }
  void stop() { stopping_ = true; }
  // Waits until everything that is on its way has arrived. Called after the producers have ended.
  void drain() {
    const auto deadline = Clock::now() + kDrainTime;
    while (delivered_ != sent_ && !ended_) {
      if (Clock::now() > deadline) fail(std::to_string(sent_ - delivered_) + " messages did not arrive");
      std::this_thread::sleep_for(1ms);
    }
    ended_ = true;
  }

  // Returns the result. Called after all threads have ended.
  Passage take() {
    if (!failure_.empty()) throw BenchError(failure_);
    if (delivers_ && delivered_stamps_ != sent_stamps_) throw BenchError(kChanged);
    return std::move(passage_);
  }

 private:
  Clock::duration pace() const {
    if (!shape_.rate) return {};
    const double batches = *shape_.rate / static_cast<double>(shape_.producers * shape_.workload.batch);
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / batches));
  }

  template <class Work>
  void attempt(Work work) {
    try {
      work();
    } catch (const BenchError& error) {
      fail(error.what());
    }
  }

  void fail(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (failure_.empty()) failure_ = why;
    stopping_ = true;
    ended_ = true;
  }

  const Shape& shape_;
  const bool delivers_;
  const std::uint64_t ahead_;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> ended_ = false;
  std::atomic<std::uint64_t> sent_ = 0;
  std::atomic<std::uint64_t> delivered_ = 0;
  // These are sums, which may wrap around.
  std::atomic<std::uint64_t> sent_stamps_ = 0;
  std::atomic<std::uint64_t> delivered_stamps_ = 0;
  std::mutex mutex_;
  std::string failure_;
  Passage passage_;
};

}  // namespace

std::string shape_name(const Shape& shape) {
  std::string name = std::to_string(shape.producers) + "+" + std::to_string(shape.consumers) + "/" +
                     size_name(shape.workload.body_bytes) + "/batch" + std::to_string(shape.workload.batch) +
                     "/" + std::string(durability_name(shape.workload.durability));
  if (shape.rate) name += "/" + std::to_string(static_cast<int>(*shape.rate)) + "ps";
  return name;
}

double Latencies::percentile(double share) {
  if (values_.empty()) return 0;
  const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(values_.size() - 1));
  std::ranges::nth_element(values_, values_.begin() + rank);
  return static_cast<double>(values_[static_cast<std::size_t>(rank)]);
}

Pipeline::Pipeline(Service& service, const std::string& queue, const Shape& shape)
    : shape_(shape), server_(service.pid()) {
  service.make_queue(queue, shape.workload);
  for (std::size_t i = 0; i < shape.producers; ++i)
    producers_.push_back(service.producer(queue, shape.workload));
  Workload taken = shape.workload;
  if (shape.take > 0) taken.batch = shape.take;
  for (std::size_t i = 0; i < shape.consumers; ++i) {
    if (auto consumer = service.consumer(queue, taken)) consumers_.push_back(std::move(consumer));
  }
}

Passage Pipeline::run(std::chrono::duration<double> duration) {
  Turn turn(shape_, !consumers_.empty());
  std::vector<std::jthread> consuming;
  for (auto& consumer : consumers_)
    consuming.emplace_back([&turn, &consumer = *consumer] { turn.consume(consumer); });
  const auto before = server_ != 0 ? use_of(server_) : ProcessUse{};
  const double own_before = own_cpu_seconds();
  const auto started = Clock::now();
  std::vector<std::jthread> producing;
  for (std::size_t i = 0; i < producers_.size(); ++i)
    producing.emplace_back([&turn, i, &producer = *producers_[i]] { turn.produce(producer, i); });
  std::this_thread::sleep_for(duration);
  const std::uint64_t messages = turn.delivered();
  const double seconds = std::chrono::duration<double>(Clock::now() - started).count();
  const auto after = server_ != 0 ? use_of(server_) : ProcessUse{};
  const double own_after = own_cpu_seconds();
  turn.stop();
  producing.clear();
  turn.drain();
  consuming.clear();
  Passage passage = turn.take();
  passage.messages = messages;
  passage.seconds = seconds;
  passage.server_cpu_seconds = after.cpu_seconds - before.cpu_seconds;
  passage.server_memory_mib = after.memory_mib;
  passage.own_cpu_seconds = own_after - own_before;
  return passage;
}

}  // namespace holdfast::bench
