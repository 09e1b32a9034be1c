#include "bench/contenders/lifecycle.h"

#include <algorithm>

namespace holdfast::bench {
namespace {

// This many bodies are made at a time: so many that reading the clocks costs nothing, and so few that
// they stay near the caches.
constexpr std::size_t kLapMessages = 1000;
constexpr std::size_t kLapBatchesMin = 4;
constexpr std::size_t kLapBatchesMax = 100;

}  // namespace

Sample run_lifecycles(Lifecycle& lifecycle, BodySource& bodies, std::size_t batch,
                      std::chrono::duration<double> duration) {
  Meter meter;
  while (meter.total().seconds < duration.count()) {
    std::vector<Bodies> lap(std::clamp(kLapMessages / batch, kLapBatchesMin, kLapBatchesMax));
    std::uint64_t sent = 0;
    for (auto& one : lap) {
      one = bodies.next(batch);
      for (const auto& body : one) sent += stamp_of(body);
    }

    std::uint64_t received = 0;
    std::uint64_t messages = 0;
    meter.start();
    for (auto& one : lap) {
      messages += one.size();
      received += lifecycle.run(std::move(one));
    }
    meter.stop(messages);
    if (received != sent) throw BenchError(kChanged);
  }
  return meter.total();
}

}  // namespace holdfast::bench
