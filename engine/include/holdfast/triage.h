// Triage: what people make of a dead letter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/time.h"

namespace holdfast {

enum class DeadLetterStatus : std::uint8_t {
  kNew = 1,
  kInvestigating = 2,
  kFixed = 3,      // what made it fail is repaired: it may be redriven
  kReplayed = 4,   // it was redriven; what became of it then: DeadLetter::replay. Set by the engine
  kAbandoned = 5,  // nobody will redrive it
};

// "new", "investigating", ...: stable, for logs, JSON and metrics.
std::string_view to_string(DeadLetterStatus status);
std::optional<DeadLetterStatus> parse_dead_letter_status(std::string_view text);

// Whether people may set `to` on a dead letter that has `from`. Among new, investigating, fixed and abandoned
// all steps are legal but that back to new; replayed is neither set nor left.
bool is_legal_step(DeadLetterStatus from, DeadLetterStatus to);

struct TriageNote {
  Timestamp at{};
  std::string actor = {};
  std::string text = {};

  friend bool operator==(const TriageNote&, const TriageNote&) = default;
};

// Who did what when.
struct AuditEntry {
  Timestamp at{};
  std::string actor = {};
  std::string action = {};  // "status new -> fixed", "assigned to ann", "discarded"

  friend bool operator==(const AuditEntry&, const AuditEntry&) = default;
};

struct Triage {
  DeadLetterStatus status = DeadLetterStatus::kNew;
  Timestamp status_since{};  // when it died, or when the status was set: retention counts from here
  std::string assignee = {};
  std::vector<TriageNote> notes = {};  // oldest first, the last limits::kTriageNotes
  std::uint32_t notes_dropped = 0;     // older ones
  // Oldest first, the last limits::kAuditEntries. What one actor did again and again is there once.
  std::vector<AuditEntry> audit = {};
  std::uint32_t audit_dropped = 0;

  friend bool operator==(const Triage&, const Triage&) = default;
};

}  // namespace holdfast
