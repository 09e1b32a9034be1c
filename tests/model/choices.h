// Choices are what the driver draws, apart from the operations themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "holdfast/broker.h"
#include "tests/support/random.h"

namespace holdfast::testing {

class Choices {
 public:
  // `loses_unsynced` says whether a crash may lose what was not synced.
  Choices(Random& random, bool loses_unsynced) : random_(random), loses_unsynced_(loses_unsynced) {}

  std::string any_queue();
  // Returns a queue to which no other queue dead-letters: only these take sends.
  std::string any_source();
  std::string any_dead_letter_queue();
  // Returns whether the queue is no dead letter queue. In a dead letter queue, the engine decides about the
  // order of messages that arrive by themselves at the same time.
  static bool is_plain(const std::string& queue) { return queue.size() == 1; }
  // Returns a durability. An fsync is slow on a real disk, and matters only if a crash loses what was not
  // synced.
  std::optional<Durability> any_durability();
  std::string any_body();
  // Returns how many bodies there were.
  std::uint64_t bodies() const { return bodies_; }
  // Returns a failure of that step, which may be empty.
  Failure any_failure(std::uint64_t step);
  DeadLetterFilter any_category();

 private:
  Random& random_;
  const bool loses_unsynced_;
  std::uint64_t bodies_ = 0;
};

}  // namespace holdfast::testing
