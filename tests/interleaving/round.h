// One round of a campaign of many callers: an engine, and what its callers share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "engine/base/helpers/split_mix.h"
#include "holdfast/engine.h"
#include "tests/interleaving/call_log.h"
#include "tests/interleaving/many_callers.h"
#include "tests/support/manual_clock.h"

namespace holdfast::testing {

// The oracle does not know the messages of this queue, which is purged and deleted.
inline constexpr const char* kScratch = "scratch";

// This clock moves on a little with each look at the time that has passed, and sometimes more, so that leases
// and waits end. The time of day goes with it, but looks at it do not move it. So a lease ends when its
// delivery says.
class MovingClock final : public Clock {
 public:
  explicit MovingClock(std::uint64_t seed) : random_(seed) {}
  Timestamp now() const override { return time_.now(); }
  Duration steady() const override {
    const std::uint64_t drawn = split_mix(random_ += kSplitMixStep);
    time_.advance(drawn % 64 == 0 ? std::chrono::milliseconds(40) : std::chrono::microseconds(200));
    return time_.steady();
  }
  // Returns the last time that anybody has seen.
  Timestamp seen() const { return time_.now(); }
  void advance(Duration step) { time_.advance(step); }

 private:
  mutable std::uint64_t random_;
  mutable ManualClock time_;
};

enum class End : std::uint8_t { kClose, kCloseAmidst, kFailedWrite, kUnknownWrite, kDeath };

// The callers share a Round. Only one of them has the turn at a time, so no lock is needed.
struct Round {
  std::size_t number = 0;
  End end = End::kClose;
  std::optional<Engine> engine;
  ApplicationFamily transfers;
  MovingClock& clock;
  CallLog log;
  Campaign& campaign;
  std::size_t unanswered = 0;
  bool closing = false;

  void complain(const std::string& why) { campaign.wrong.push_back(why); }
  bool writes_may_fail() const {
    return end == End::kFailedWrite || end == End::kUnknownWrite || end == End::kDeath;
  }
};

// Makes a caller, whose calls follow from the seed. The function makes the calls and returns. It must outlive
// the engine, since callbacks may still come to it.
std::function<void()> make_caller(Round& round, std::uint64_t seed, std::size_t number);

}  // namespace holdfast::testing
