// Numbers about the dead letters of a queue, from the counts that are kept: no record is read.
#pragma once

#include <optional>

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

// When the one died that died first of those whose message is here. Empty if there is none.
Result<std::optional<Timestamp>> oldest_death(const Store& store, QueueId queue);

// As they were with the last one.
Result<ArrivalTotals> arrival_totals(const Store& store, QueueId queue);

}  // namespace holdfast
