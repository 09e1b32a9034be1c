// Changing dead letters: what the calls for triage, discarding and import take and return.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/dead_letter_query.h"

namespace holdfast {

// Which dead letters a bulk call changes, and who asks for it. A message that dies after the call began is
// not touched.
struct DeadLetterSelection {
  DeadLetterFilter filter = {};
  // Must be true if the filter is empty, which means every dead letter. Otherwise an empty filter is refused
  // (kInvalidArgument), so that nobody changes everything by accident.
  bool all = false;
  std::string actor = {};  // who asks, for the audit; at most limits::kActorBytes
  bool dry_run = false;    // true: nothing is changed, and the answer counts what would be

  friend bool operator==(const DeadLetterSelection&, const DeadLetterSelection&) = default;
};

// What to change. All that is set here is applied to a dead letter in one atomic write.
struct DeadLetterChanges {
  std::optional<DeadLetterStatus> status = {};  // the new status, where is_legal_step() allows it
  std::optional<std::string> assignee = {};     // "" for nobody; at most limits::kActorBytes
  std::optional<std::string> note = {};         // a note to add; not empty, at most limits::kNoteBytes

  friend bool operator==(const DeadLetterChanges&, const DeadLetterChanges&) = default;
};

// The answer to a bulk call.
struct DeadLettersChanged {
  std::uint64_t changed = 0;
  std::uint64_t unchanged = 0;  // dead letters that were so already: nothing was written
  // Dead letters that could not be changed: the step of the status is not legal or, for a discard, a consumer
  // has the dead letter leased.
  std::uint64_t refused = 0;

  friend bool operator==(const DeadLettersChanged&, const DeadLettersChanged&) = default;
};

// The answer to import_dead_letters.
struct DeadLettersImported {
  std::uint64_t imported = 0;
  std::uint64_t duplicates = 0;  // dead letters that are in the queue already, or were redriven from it
  std::uint64_t refused = 0;     // history, which has no message to bring back

  friend bool operator==(const DeadLettersImported&, const DeadLettersImported&) = default;
};

}  // namespace holdfast
