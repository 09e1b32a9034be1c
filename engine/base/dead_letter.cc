// Causes of death, ends of attempts and outcomes of replays have stable names, and a fingerprint is written
// as exactly 16 hex digits, so that all of them can be compared as text.
#include "holdfast/dead_letter.h"

#include <charconv>

#include "engine/base/names.h"

namespace holdfast {
namespace {

constexpr Names<DeathCause, 6> kCauses{{{DeathCause::kMaxDeliveries, "max_deliveries"},
                                        {DeathCause::kRejected, "rejected"},
                                        {DeathCause::kExpired, "expired"},
                                        {DeathCause::kRetryBudget, "retry_budget"},
                                        {DeathCause::kOverflow, "overflow"},
                                        {DeathCause::kSent, "sent"}}};

constexpr Names<AttemptEnd, 3> kEnds{{{AttemptEnd::kLeaseExpired, "lease_expired"},
                                      {AttemptEnd::kReleased, "released"},
                                      {AttemptEnd::kRejected, "rejected"}}};

constexpr Names<ReplayOutcome, 4> kOutcomes{{{ReplayOutcome::kPending, "pending"},
                                             {ReplayOutcome::kAcked, "acked"},
                                             {ReplayOutcome::kDiedElsewhere, "died_elsewhere"},
                                             {ReplayOutcome::kDropped, "dropped"}}};

}  // namespace

std::string_view to_string(DeathCause cause) { return name_of(kCauses, cause); }
std::optional<DeathCause> parse_death_cause(std::string_view text) { return value_of(kCauses, text); }

std::string_view to_string(AttemptEnd end) { return name_of(kEnds, end); }

std::string_view to_string(ReplayOutcome outcome) { return name_of(kOutcomes, outcome); }

FirstDeath first_death_of(const FailureRecord& record) {
  if (record.first_death) return *record.first_death;
  return {.cause = record.cause,
          .category = record.category,
          .reason = record.reason,
          .code = record.code,
          .source_queue = record.source_queue,
          .died_at = record.died_at,
          .fingerprint = record.fingerprint};
}

std::string to_string(Fingerprint fingerprint) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  auto bits = static_cast<std::uint64_t>(fingerprint);
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, bits >>= 4) *digit = kDigits[bits & 0xf];
  return text;
}

std::optional<Fingerprint> parse_fingerprint(std::string_view text) {
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
  if (text.size() != 16 || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return Fingerprint{bits};
}

}  // namespace holdfast
