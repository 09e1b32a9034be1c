// Whose turn it is: the order in which a simulation must be given messages, of their groups and priorities.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/world/ledger.h"

namespace holdfast::simulation {

class Turns {
 public:
  explicit Turns(const Ledger& ledger) : ledger_(ledger) {}

  // Tells that the message was sent to an ordered queue, behind the earlier ones of its group.
  void lined_up(const std::string& queue, const std::string& group, const std::string& body) {
    lines_[{queue, group}].push_back(body);
  }
  // Checks what one receive of an ordered queue returned, before Ledger::delivered() is called for it: no
  // message came before its turn, nor while another delivery holds its group. A message may have died after
  // `max_deliveries`.
  void check_order(const std::string& queue, const Deliveries& deliveries, Timestamp now,
                   std::uint32_t max_deliveries) const;
  // Checks what one receive of a queue with strict priorities returned, before Ledger::delivered() is called
  // for it: no message was overtaken by one of a lower level while both were there and fresh.
  void check_priorities(const std::string& queue, const Deliveries& deliveries) const;

 private:
  const Ledger& ledger_;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> lines_;  // bodies as sent
};

}  // namespace holdfast::simulation
