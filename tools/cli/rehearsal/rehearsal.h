// Plays a queue in virtual time against a described consumer, to show what the queue's options would do. It
// uses the real engine over the store in memory, with a clock that jumps from event to event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/queue.h"
#include "holdfast/time.h"

namespace holdfast::rehearsal {

// Blip is a time in which the consumer's dependency is down: every delivery that ends in it fails.
struct Blip {
  Duration at{};      // counted from the first message; it lies in the time in which messages are sent
  Duration length{};  // above 0, and at most as long as messages are sent
};

// A Failure says how a consumer fails.
enum class Failure : std::uint8_t {
  kRelease,  // the consumer notices, and gives the message back at once
  kCrash,    // the consumer is gone: the lease must run out
};

// Describes what is sent, and what the consumers do with it. The same workload gives the same result.
struct Workload {
  double rate = 1000;                         // messages a second, evenly spaced
  Duration length = std::chrono::minutes(1);  // how long they are sent
  double poison_share = 0.001;                // of the messages; poison messages always fail
  double failure_share = 0;                   // of the deliveries of healthy messages; these fail by chance
  std::vector<Blip> blips = {};
  std::size_t consumers = 16;  // each has one message at a time
  Duration service_time = std::chrono::milliseconds(1);
  Failure failure = Failure::kRelease;
  Duration time_limit = std::chrono::hours(24);  // how long after the last send the play goes on
  std::uint64_t seed = 1;
};

inline constexpr std::size_t kMaxMessages = 10'000'000;

// A Spread says how long something took, over all messages to which it happened. Zero if it happened to none.
struct Spread {
  Duration median{};
  Duration p99{};
  Duration max{};
};

struct Verdict {
  std::uint64_t sent = 0;
  std::uint64_t poison = 0;  // how many of the sent messages are poison
  std::uint64_t acked = 0;
  std::uint64_t healthy_quarantined = 0;  // dead-lettered though another attempt would have succeeded
  std::uint64_t poison_quarantined = 0;
  std::uint64_t unfinished = 0;  // neither acked nor dead when `time_limit` ran out
  std::uint64_t deliveries = 0;
  // Deliveries that were of no use: those of poison messages after the first one, and the failed ones of
  // healthy messages.
  std::uint64_t wasted_on_poison = 0;
  std::uint64_t wasted_on_healthy = 0;
  std::uint64_t most_wasted_on_one = 0;  // the most wasted deliveries of a single poison message
  Spread time_to_ack;                    // from send to ack
  Spread time_to_quarantine;             // of poison messages, from send to the last failure
};

// Plays the workload. `options` are those of the queue, without its dead letter queue, which this sets.
// kInvalidArgument names what makes no sense; kLimitExceeded beyond kMaxMessages.
Result<Verdict> rehearse(QueueOptions options, const Workload& workload);

}  // namespace holdfast::rehearsal
