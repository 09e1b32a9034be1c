// Walks the dead letters of a queue that a filter means, in the order of DeadLetterCursor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/dead_letters/dead_letter_row.h"
#include "engine/storage/store.h"
#include "holdfast/dead_letter_query.h"

namespace holdfast {

// A WalkCost counts what a walk read.
struct WalkCost {
  std::size_t records = 0;
  std::size_t bytes = 0;  // of messages
  bool scanned = false;   // records of dead letters here were read, because no index answers the filter
};

struct WalkOptions {
  std::optional<DeadLetterCursor> after = {};
  bool newest_first = false;
  std::size_t examine = SIZE_MAX;  // the most records that are read
  std::size_t bytes = SIZE_MAX;    // the most bytes of messages that are read, except for the first message
  WalkCost* cost = nullptr;        // if not null, the cost is added to it
};

// A visit answers whether the walk goes on.
enum class Walk : std::uint8_t { kOn, kStop };
using VisitDeadLetter = std::function<Walk(const DeadLetterCursor& place, DeadLetterRow& row)>;

// Visits the dead letters that the filter means, as they are committed. The walk reads the postings of that
// field of the filter that the fewest dead letters have, and checks the rest of the filter on their records.
// In a long search, it first looks up the other fields in the index, and the reasons by their groups
// (reason_groups.h). Returns the last place that it looked at, from which to go on, or nothing if it came to
// its end.
Result<std::optional<DeadLetterCursor>> walk_dead_letters(const Store& store, QueueId queue,
                                                          const DeadLetterFilter& filter,
                                                          const WalkOptions& options,
                                                          const VisitDeadLetter& visit);

// Returns the record at a place, or nothing if it is gone.
Result<std::optional<DeadLetterRow>> read_dead_letter(const Store& store, QueueId queue,
                                                      const RecordKey& key);

// Returns a bound of how many dead letters here match the filter: the count of that field of the filter that
// the fewest have. Returns nothing if no field has a count.
Result<std::optional<std::uint64_t>> most_matches(const Store& store, QueueId queue,
                                                  const DeadLetterFilter& filter);

// Returns whether the filter means this record, as far as the record says; DeadLetterMessages has the rest.
// The place of the record is not looked at.
bool matches(const DeadLetterFilter& filter, const RecordKey& key, const DeadLetterRow& row);

bool includes_history(const DeadLetterFilter& filter);

// Checks a filter. kLimitExceeded, kInvalidArgument.
Result<void> validate(const DeadLetterFilter& filter);

}  // namespace holdfast
