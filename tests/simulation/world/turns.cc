#include "tests/simulation/world/turns.h"

#include <algorithm>
#include <unordered_set>

namespace holdfast::simulation {

void Turns::check_order(const std::string& queue, const Deliveries& deliveries, Timestamp now,
                        std::uint32_t max_deliveries) const {
  std::unordered_set<std::string> batch;
  for (const Delivery& delivery : deliveries) {
    const std::string body(delivery.body);
    batch.insert(body);
    const auto line = lines_.find({queue, delivery.group});
    if (delivery.replays > 0 || line == lines_.end()) continue;
    const auto own_place = std::ranges::find(line->second, body);
    if (own_place == line->second.end()) continue;
    for (auto other = line->second.begin(); other != line->second.end(); ++other) {
      const Account& account = ledger_.account(*other);
      const bool here = account.is_certain() && account.queue == queue && !account.moved &&
                        !account.lease_unknown && !batch.contains(*other);
      if (!here) continue;
      if (account.lease && now < account.lease->until)
        violated(body, "was delivered while " + *other + " of its group is held");
      if (other < own_place && account.most_deliveries < max_deliveries)
        violated(body, "was delivered before " + *other + " of its group");
    }
  }
}

void Turns::check_priorities(const std::string& queue, const Deliveries& deliveries) const {
  if (deliveries.empty()) return;
  std::unordered_set<std::string> batch;
  std::uint32_t lowest = UINT32_MAX;
  for (const Delivery& delivery : deliveries) {
    batch.emplace(delivery.body);
    lowest = std::min(lowest, delivery.priority);
  }
  for (const auto& [body, account] : ledger_.accounts()) {
    const bool fresh = account.is_certain() && account.queue == queue && account.prompt && !account.moved &&
                       account.most_deliveries == 0 && !account.lease_unknown && !batch.contains(body);
    if (fresh && account.priority > lowest) violated(body, "was overtaken by one of a lower priority");
  }
}

}  // namespace holdfast::simulation
