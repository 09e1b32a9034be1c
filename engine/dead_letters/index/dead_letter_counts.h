// Numbers about the dead letters of a queue, made of the counts that are kept. No record is read.
#pragma once

#include <optional>

#include "engine/storage/store.h"
#include "holdfast/dead_letter_statistics.h"
#include "holdfast/error.h"
#include "holdfast/ids.h"

namespace holdfast {

// Checks the options. kLimitExceeded.
Result<void> validate(const DeadLetterStatisticsOptions& options);

// Counts the dead letters of a queue. `time` is now.
Result<DeadLetterStatistics> count_dead_letters(const Store& store, QueueId queue,
                                                const DeadLetterStatisticsOptions& options, Timestamp time);

// Returns when the dead letter died that died first, of those whose message is here, or nothing if there is
// none.
Result<std::optional<Timestamp>> oldest_death(const Store& store, QueueId queue);

// Returns the totals as they were with the last arrival.
Result<ArrivalTotals> arrival_totals(const Store& store, QueueId queue);

}  // namespace holdfast
