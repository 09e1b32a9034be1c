// This header declares the options for the journal of a queue.
#pragma once

#include <cstdint>

#include "holdfast/detail/duration.h"

namespace holdfast {

// These options say how much a queue remembers of where messages were; Broker::message_history tells it.
struct JournalOptions {
  // At most this many steps stay, of all messages together: limits::kJournalEntriesMin..kJournalEntriesMax. A
  // journal that is full forgets its oldest sixteenth at once. 0: the queue keeps no journal.
  std::uint64_t max_entries = 0;
  // A step is remembered, if there is room, for at least this long and at most a sixteenth longer. At most
  // limits::kKeepMax. 0: as long as there is room. It must be 0 if max_entries is 0 (kInvalidArgument).
  Duration keep{0};

  friend bool operator==(const JournalOptions&, const JournalOptions&) = default;
};

}  // namespace holdfast
