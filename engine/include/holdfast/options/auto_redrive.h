// The options for the redrives that a dead letter queue makes by itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/detail/duration.h"

namespace holdfast {

// OnGiveUp says what happens to a dead letter that has failed for longer than AutoRedrive::give_up_after.
enum class OnGiveUp : std::uint8_t {
  kPark = 1,  // it is parked, or stays if the queue has no parking_queue
  // It is archived and deleted, but not before give_up_after has passed since its import and since the last
  // change of its status.
  kArchive = 2,
};

// Returns the name of the action: "park" or "archive".
std::string_view to_string(OnGiveUp action);

// AutoRedrive says how a dead letter queue redrives its dead letters by itself. A dead letter that is due
// goes back to the queue that it came from.
struct AutoRedrive {
  Duration every{0};        // how often to look for due dead letters: 1 s..24 h; 0: never
  std::uint32_t max = 100;  // the most dead letters to move each time: 1..limits::kAutoRedriveMax
  // Dead letters of these categories are redriven; empty: all. At most limits::kAutoRedriveCategories.
  std::vector<std::string> categories = {};
  // A dead letter is due min(backoff * 2^replays, backoff_max) after its death. Both are 0..30 days.
  Duration backoff = std::chrono::minutes(1);
  Duration backoff_max = std::chrono::hours(1);
  // A dead letter is redriven at most this many times (1 or more). After that it is parked, or stays if the
  // queue has no parking_queue.
  std::uint32_t max_replays = 3;
  // Dead letters are redriven for this long, counted from the first failure of the message, or from its first
  // death if no delivery ever failed. 0: without end; at most limits::kDelayMax.
  Duration give_up_after{0};
  OnGiveUp on_give_up = OnGiveUp::kPark;

  friend bool operator==(const AutoRedrive&, const AutoRedrive&) = default;
};

}  // namespace holdfast
