// Numbers about the dead letters of a queue, from the counts that are kept: no record is read.
#pragma once

#include "engine/storage/store.h"
#include "holdfast/dead_letter_statistics.h"
#include "holdfast/error.h"
#include "holdfast/ids.h"

namespace holdfast {

// kLimitExceeded.
Result<void> validate(const DeadLetterStatisticsOptions& options);

// `time` is now.
Result<DeadLetterStatistics> count_dead_letters(const Store& store, QueueId queue,
                                                const DeadLetterStatisticsOptions& options, Timestamp time);

}  // namespace holdfast
