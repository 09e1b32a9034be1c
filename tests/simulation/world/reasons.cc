#include "tests/simulation/world/reasons.h"

#include <utility>

#include "tests/simulation/world/violation.h"

namespace holdfast::simulation {

std::uint64_t Reasons::may_say(std::unordered_set<std::string> bodies) {
  said_.push_back(std::move(bodies));
  return said_.size() - 1;
}

void Reasons::check_said(const std::string& body, const FailureRecord& record) const {
  const auto& kept = record.attempts.kept;
  std::uint64_t next = 0;  // calls that give reasons come in the order of the failures
  // The record itself has the reason of the message's last failure, and not the last of the attempts up to
  // the death. A release in the simulation always gives a reason. So if the attempt of a release has none,
  // its reason is in the record.
  bool told = false;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const bool lease_ran_out = kept[i].end == AttemptEnd::kLeaseExpired;
    const bool may_be_last = !lease_ran_out || kept[i].failed_at == record.last_failed_at;
    const bool by_record = kept[i].failure.empty() && !told && may_be_last;
    told = told || by_record;
    if (kept[i].end == AttemptEnd::kRejected) continue;
    const std::string& said = by_record ? record.reason : kept[i].failure.reason;
    std::uint64_t call = next;
    while (call < said_.size() && (said_of(call) != said || !said_[call].contains(body))) ++call;
    const bool unsaid = by_record ? said.starts_with("the lease ran out: ") : said.empty();
    if (call == said_.size() && !(lease_ran_out && unsaid))
      violated(body, "a failed delivery has the reason '" + said + "'");
    if (call < said_.size()) next = call + 1;
  }
}

}  // namespace holdfast::simulation
