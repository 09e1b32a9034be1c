// Plays a queue in virtual time against a described consumer, to see what its options would do: the real
// engine over the store in memory, with a clock that jumps from event to event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/queue.h"
#include "holdfast/time.h"

namespace holdfast::rehearsal {

// The consumer's dependency is down: every delivery that ends in this time fails.
struct Blip {
  Duration at{};      // since the first message; while messages are sent
  Duration length{};  // above 0, and at most as long as messages are sent
};

// How a consumer fails.
enum class Failure : std::uint8_t {
  kRelease,  // it notices, and gives the message back at once
  kCrash,    // it is gone: the lease has to run out
};

// What is sent, and what the consumers make of it. The same workload gives the same result.
struct Workload {
  double rate = 1000;                         // messages a second, evenly spaced
  Duration length = std::chrono::minutes(1);  // how long they are sent
  double poison_share = 0.001;                // of the messages: these fail always
  double failure_share = 0;                   // of the deliveries of healthy messages: these fail by chance
  std::vector<Blip> blips = {};
  std::size_t consumers = 16;  // each has one message at a time
  Duration service_time = std::chrono::milliseconds(1);
  Failure failure = Failure::kRelease;
  Duration patience = std::chrono::hours(24);  // how long after the last send the play goes on
  std::uint64_t seed = 1;
};

inline constexpr std::size_t kMaxMessages = 10'000'000;

// How long something took, over all messages it happened to. Zero if there were none.
struct Spread {
  Duration median{};
  Duration p99{};
  Duration max{};
};

struct Verdict {
  std::uint64_t sent = 0;
  std::uint64_t poison = 0;  // of those sent
  std::uint64_t acked = 0;
  std::uint64_t healthy_quarantined = 0;  // dead-lettered though another attempt would have done
  std::uint64_t poison_quarantined = 0;
  std::uint64_t unfinished = 0;  // neither acked nor dead when patience ran out
  std::uint64_t deliveries = 0;
  // Deliveries that did nobody any good: those of poison messages after their first, and the failed ones of
  // healthy messages.
  std::uint64_t wasted_on_poison = 0;
  std::uint64_t wasted_on_healthy = 0;
  std::uint64_t most_wasted_on_one = 0;  // poison message
  Spread time_to_ack;                    // from send to ack
  Spread time_to_quarantine;             // of poison, from send to its last failure
};

// `options` are those of the queue; its dead letter queue is set here. kInvalidArgument names what makes no
// sense; kLimitExceeded beyond kMaxMessages.
Result<Verdict> rehearse(QueueOptions options, const Workload& workload);

}  // namespace holdfast::rehearsal
