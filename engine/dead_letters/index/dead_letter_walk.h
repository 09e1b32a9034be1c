// Walking the dead letters of a queue that a filter means, in the order of DeadLetterCursor.
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

// What a walk read.
struct WalkCost {
  std::size_t records = 0;
  std::size_t bytes = 0;  // of messages
  bool scanned = false;   // records of what is here, since the index did not have all that was asked
};

struct WalkOptions {
  std::optional<DeadLetterCursor> after = {};
  bool newest_first = false;
  std::size_t examine = SIZE_MAX;  // read no more records than these
  std::size_t bytes = SIZE_MAX;    // nor more of messages than these, but for the first
  WalkCost* cost = nullptr;        // added to, if it is there
};

// Whether the walk goes on.
enum class Walk : std::uint8_t { kOn, kStop };
using VisitDeadLetter = std::function<Walk(const DeadLetterCursor& place, DeadLetterRow& row)>;

// Visits what is committed. Reads the postings of the field of the filter that the fewest dead letters have,
// and checks the rest on their records, those of a long search in the index first, and reasons by their
// groups (reason_groups.h). Gives where to go on, the last place it looked at, if the walk ended before its
// end.
Result<std::optional<DeadLetterCursor>> walk_dead_letters(const Store& store, QueueId queue,
                                                          const DeadLetterFilter& filter,
                                                          const WalkOptions& options,
                                                          const VisitDeadLetter& visit);

// The record at a place; none if it is gone.
Result<std::optional<DeadLetterRow>> read_dead_letter(const Store& store, QueueId queue,
                                                      const RecordKey& key);

// No more dead letters than these match, of those that are here: from the count of the field of the filter
// that the fewest have. None if no field has one.
Result<std::optional<std::uint64_t>> most_matches(const Store& store, QueueId queue,
                                                  const DeadLetterFilter& filter);

// Whether the filter means this record, by what the record says: see DeadLetterMessages for the rest. Its
// place is not looked at.
bool matches(const DeadLetterFilter& filter, const RecordKey& key, const DeadLetterRow& row);

bool includes_history(const DeadLetterFilter& filter);

// kLimitExceeded, kInvalidArgument.
Result<void> validate(const DeadLetterFilter& filter);

}  // namespace holdfast
