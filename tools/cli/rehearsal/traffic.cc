#include "tools/cli/rehearsal/traffic.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace holdfast::rehearsal {
namespace {

constexpr double kMicrosPerSecond = 1e6;

Duration at_rank(std::vector<Duration>& times, double share) {
  if (times.empty()) return Duration{};
  const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(times.size() - 1));
  std::ranges::nth_element(times, times.begin() + rank);
  return times[static_cast<std::size_t>(rank)];
}

Spread spread_of(std::vector<Duration> times) {
  return {at_rank(times, 0.5), at_rank(times, 0.99), at_rank(times, 1)};
}

std::size_t message_count(const Workload& workload) {
  return static_cast<std::size_t>(
      std::llround(workload.rate * static_cast<double>(workload.length.count()) / kMicrosPerSecond));
}

}  // namespace

Traffic::Traffic(const Workload& workload)
    : workload_(workload), count_(message_count(workload)), random_(workload.seed) {
  sent_.reserve(count_);
}

bool Traffic::by_chance(double share) {
  // The random numbers are this class's own: the standard's distributions differ between libraries, and a
  // seed must not give different results.
  constexpr double kRange = 18446744073709551616.0;  // 2^64
  return share > 0 && static_cast<double>(random_()) / kRange < share;
}

Timestamp Traffic::next_send(Timestamp start) const {
  if (all_sent()) return Timestamp::max();
  return start +
         Duration(std::llround(static_cast<double>(sent_.size()) * kMicrosPerSecond / workload_.rate));
}

Number Traffic::send(Timestamp now) {
  const bool poison = by_chance(workload_.poison_share);
  sent_.push_back({.sent_at = now, .last_failed_at = {}, .failures = 0, .poison = poison});
  ++verdict_.sent;
  verdict_.poison += poison ? 1 : 0;
  return sent_.size() - 1;
}

bool Traffic::fails(Number message, Duration since_start) {
  if (sent_[message].poison) return true;
  const bool down = std::ranges::any_of(workload_.blips, [&](const Blip& blip) {
    return since_start >= blip.at && since_start < blip.at + blip.length;
  });
  return down || by_chance(workload_.failure_share);
}

void Traffic::note_ack(Number message, Timestamp now) {
  ++verdict_.deliveries;
  ++verdict_.acked;
  ack_times_.push_back(now - sent_[message].sent_at);
}

void Traffic::note_failure(Number message, Timestamp now) {
  ++verdict_.deliveries;
  Fate& fate = sent_[message];
  fate.last_failed_at = now;
  if (!fate.poison) {
    ++verdict_.wasted_on_healthy;
  } else if (fate.failures > 0) {
    ++verdict_.wasted_on_poison;
    verdict_.most_wasted_on_one = std::max<std::uint64_t>(verdict_.most_wasted_on_one, fate.failures);
  }
  ++fate.failures;
}

void Traffic::note_quarantined(Number message) {
  const Fate& fate = sent_[message];
  if (!fate.poison) {
    ++verdict_.healthy_quarantined;
    return;
  }
  ++verdict_.poison_quarantined;
  quarantine_times_.push_back(fate.last_failed_at - fate.sent_at);
}

Verdict Traffic::verdict() {
  Verdict verdict = verdict_;
  verdict.unfinished =
      verdict.sent - verdict.acked - verdict.healthy_quarantined - verdict.poison_quarantined;
  verdict.time_to_ack = spread_of(std::exchange(ack_times_, {}));
  verdict.time_to_quarantine = spread_of(std::exchange(quarantine_times_, {}));
  return verdict;
}

}  // namespace holdfast::rehearsal
