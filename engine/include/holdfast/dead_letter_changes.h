// Changing dead letters: triage, discarding, import.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/dead_letter_query.h"

namespace holdfast {

// Which dead letters a bulk call is about, and who asks. What dies after the call began is not touched.
struct DeadLetterSelection {
  DeadLetterFilter filter = {};
  // An empty filter means every dead letter; so that nobody says that by accident, it is refused
  // (kInvalidArgument) unless this is set.
  bool all = false;
  std::string actor = {};  // for the audit; at most limits::kActorBytes
  bool dry_run = false;    // changes nothing, counts what would be changed

  friend bool operator==(const DeadLetterSelection&, const DeadLetterSelection&) = default;
};

// All that is set is done to each dead letter in one atomic write.
struct DeadLetterChanges {
  std::optional<DeadLetterStatus> status = {};  // where is_legal_step() allows it
  std::optional<std::string> assignee = {};     // "" for nobody; at most limits::kActorBytes
  std::optional<std::string> note = {};         // at most limits::kNoteBytes, not empty

  friend bool operator==(const DeadLetterChanges&, const DeadLetterChanges&) = default;
};

// The reply to a bulk call.
struct DeadLettersChanged {
  std::uint64_t changed = 0;
  std::uint64_t unchanged = 0;  // were so already: nothing was written
  std::uint64_t refused = 0;  // the step of the status is not legal; or, of discard, a consumer has it leased

  friend bool operator==(const DeadLettersChanged&, const DeadLettersChanged&) = default;
};

// The reply to import_dead_letters.
struct DeadLettersImported {
  std::uint64_t imported = 0;
  std::uint64_t duplicates = 0;  // that dead letter is there already, or was redriven from there
  std::uint64_t refused = 0;     // history: there is no message to bring back

  friend bool operator==(const DeadLettersImported&, const DeadLettersImported&) = default;
};

}  // namespace holdfast
