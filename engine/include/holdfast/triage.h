// Triage: what people decide and note about a dead letter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/time.h"

namespace holdfast {

enum class DeadLetterStatus : std::uint8_t {
  kNew = 1,            // nobody has looked at it
  kInvestigating = 2,  // somebody is looking at it
  kFixed = 3,          // what made it fail is repaired, so it may be redriven
  kReplayed = 4,       // it was redriven; only the engine sets this. DeadLetter::replay has the outcome
  kAbandoned = 5,      // nobody will redrive it
};

// Returns the name of the status: "new", "investigating" and so on. Names are stable, for logs, JSON and
// metrics.
std::string_view to_string(DeadLetterStatus status);
std::optional<DeadLetterStatus> parse_dead_letter_status(std::string_view text);

// Returns whether people may change the status `from` to `to`. They may change among new, investigating,
// fixed and abandoned, but not back to new. They can neither set nor change replayed.
bool is_legal_step(DeadLetterStatus from, DeadLetterStatus to);

struct TriageNote {
  Timestamp at{};
  std::string actor = {};
  std::string text = {};

  friend bool operator==(const TriageNote&, const TriageNote&) = default;
};

// An AuditEntry says who did what, and when.
struct AuditEntry {
  Timestamp at{};
  std::string actor = {};
  std::string action = {};  // "status new -> fixed", "assigned to ann", "discarded"

  friend bool operator==(const AuditEntry&, const AuditEntry&) = default;
};

struct Triage {
  DeadLetterStatus status = DeadLetterStatus::kNew;
  // The status was set at this time; if nobody set it, the message died then. Retention counts from here.
  Timestamp status_since{};
  std::string assignee = {};           // empty: nobody
  std::vector<TriageNote> notes = {};  // the last limits::kTriageNotes, oldest first
  std::uint32_t notes_dropped = 0;     // how many older notes were dropped
  // The audit keeps the last limits::kAuditEntries, oldest first. What one actor repeats is there once.
  std::vector<AuditEntry> audit = {};
  std::uint32_t audit_dropped = 0;  // how many older entries were dropped

  friend bool operator==(const Triage&, const Triage&) = default;
};

}  // namespace holdfast
