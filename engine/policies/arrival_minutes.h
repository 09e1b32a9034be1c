// How many dead letters came to a queue in each of the last 60 whole minutes, as the store counts them: so a
// restart changes nothing.
#pragma once

#include <array>
#include <cstdint>

#include "engine/storage/store.h"
#include "holdfast/error.h"
#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast {

class ArrivalMinutes {
 public:
  // Before the minute that `now` is in. Reads two rows. kCorruption, or what reading failed with.
  static Result<ArrivalMinutes> read(const Store& store, QueueId queue, Timestamp now);

  // In that one of the last `minutes` that had the fewest; 1 minute to 1 hour.
  std::uint64_t fewest(Duration minutes) const;

 private:
  std::array<std::uint64_t, 60> counts_{};  // the last one first
};

}  // namespace holdfast
