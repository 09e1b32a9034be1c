// ArrivalMinutes counts the dead letters that came to a queue in each of the last 60 whole minutes. The store
// has these counts, so a restart changes nothing.
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
  // Reads the counts of the minutes before the one that `now` is in, which are in two rows. kCorruption, or
  // the error of reading.
  static Result<ArrivalMinutes> read(const Store& store, QueueId queue, Timestamp now);

  // Returns the count of that one of the last `minutes`, 1 minute to 1 hour, in which the fewest came.
  std::uint64_t fewest(Duration minutes) const;

 private:
  std::array<std::uint64_t, 60> counts_{};  // the last minute first
};

}  // namespace holdfast
