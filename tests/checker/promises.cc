#include "tests/checker/promises.h"

#include <algorithm>

namespace holdfast::checker {

bool Promises::leads_to(const std::string& from, const std::string& to) const {
  if (from == to) return true;
  const auto queue = queues_.find(from);
  return queue != queues_.end() &&
         std::ranges::any_of(queue->second.next, [&](const auto& next) { return leads_to(next, to); });
}

std::string Promises::judge_presence(const Fate& fate, const std::string& queue, const MessageId& id) const {
  if (fate.gone == Certainty::kYes) return "is back after it was gone for good";
  if (fate.sent == Certainty::kNo) return "was never sent, or was refused, and is there";
  if (fate.id && *fate.id != id) return "has changed its id";
  if (!leads_to(fate.source, queue)) return "was sent to " + fate.source + " and is in " + queue;
  return {};
}

std::string Promises::judge_absence(const Fate& fate) {
  if (!fate.must_be_there()) return {};
  return "is lost; it was " + (fate.queue.empty() ? "sent to " + fate.source : "in " + fate.queue);
}

std::string Promises::judge_way(const Fate& fate, const std::string& queue, std::uint32_t replays) const {
  if (replays < fate.replays) return "has forgotten a replay";
  if (replays > fate.replays || fate.queue.empty() || leads_to(fate.queue, queue)) return {};
  return "came from " + fate.queue + " to " + queue;
}

std::string Promises::judge_charges(const std::string& queue, Charges known, std::uint32_t charged) {
  if (charged >= known.least && charged <= known.most) return {};
  return "is charged " + std::to_string(charged) + " deliveries in " + queue + ", expected " +
         std::to_string(known.least) + ".." + std::to_string(known.most);
}

std::string Promises::judge_durability(Durability asked, Durability said) {
  if (said == Durability::kFsync || asked != Durability::kFsync) return {};
  return "was to be fsynced, and is answered as buffered";
}

std::string Promises::judge_delivery(const std::string& queue, std::uint32_t deliveries) const {
  const auto terms = queues_.find(queue);
  if (terms == queues_.end() || !terms->second.most_deliveries) return {};
  if (deliveries <= *terms->second.most_deliveries) return {};
  return "is delivered a " + std::to_string(deliveries) + ". time in " + queue +
         ", more often than it allows";
}

}  // namespace holdfast::checker
