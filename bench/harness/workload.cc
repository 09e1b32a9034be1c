#include "bench/harness/workload.h"

#include <cstring>
#include <random>

namespace holdfast::bench {
namespace {

// The noise is longer than a cache, so that copying bodies costs what it does in real use.
constexpr std::size_t kNoiseBytes = 4 << 20;
constexpr std::size_t kStride = 4099;  // a prime, so that two successive bodies start at unrelated places

const std::string& noise() {
  static const std::string bytes = [] {
    std::mt19937_64 random(1);  // the fixed seed makes the same bytes in every run
    std::string made(kNoiseBytes, '\0');
    for (std::size_t i = 0; i < kNoiseBytes; i += sizeof(std::uint64_t)) {
      const std::uint64_t word = random();
      std::memcpy(&made[i], &word, sizeof(word));
    }
    return made;
  }();
  return bytes;
}

}  // namespace

std::string size_name(std::size_t bytes) {
  return bytes % 1024 == 0 ? std::to_string(bytes / 1024) + "KiB" : std::to_string(bytes) + "B";
}

std::string_view durability_name(Durability durability) {
  return durability == Durability::kFsync ? "fsync" : "buffered";
}

BodySource::BodySource(std::size_t body_bytes) : body_bytes_(body_bytes) {}

Bodies BodySource::next(std::size_t count) {
  Bodies bodies;
  bodies.reserve(count);
  for (std::size_t i = 0; i < count; ++i, ++stamp_) {
    auto& body = bodies.emplace_back(noise(), stamp_ * kStride % (kNoiseBytes - body_bytes_), body_bytes_);
    std::memcpy(body.data(), &stamp_, sizeof(stamp_));
  }
  return bodies;
}

std::uint64_t stamp_of(std::string_view body) {
  if (body.size() < sizeof(std::uint64_t)) throw BenchError("a body came back too short");
  std::uint64_t stamp = 0;
  std::memcpy(&stamp, body.data(), sizeof(stamp));
  return stamp;
}

}  // namespace holdfast::bench
