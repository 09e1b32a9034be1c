// The status of a dead letter changes as people want, with two exceptions. Only a redrive sets `replayed`,
// which is final, and no dead letter becomes `new` again.
#include "holdfast/triage.h"

#include "engine/base/names.h"

namespace holdfast {
namespace {

constexpr Names<DeadLetterStatus, 5> kStatuses{{{DeadLetterStatus::kNew, "new"},
                                                {DeadLetterStatus::kInvestigating, "investigating"},
                                                {DeadLetterStatus::kFixed, "fixed"},
                                                {DeadLetterStatus::kReplayed, "replayed"},
                                                {DeadLetterStatus::kAbandoned, "abandoned"}}};

}  // namespace

std::string_view to_string(DeadLetterStatus status) { return name_of(kStatuses, status); }

std::optional<DeadLetterStatus> parse_dead_letter_status(std::string_view text) {
  return value_of(kStatuses, text);
}

bool is_legal_step(DeadLetterStatus from, DeadLetterStatus to) {
  if (from == DeadLetterStatus::kReplayed || to == DeadLetterStatus::kReplayed) return false;
  return from == to || to != DeadLetterStatus::kNew;
}

}  // namespace holdfast
