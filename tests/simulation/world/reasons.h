// Reasons has, call by call, the reasons that a simulation has given for failed deliveries.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "holdfast/dead_letter.h"

namespace holdfast::simulation {

class Reasons {
 public:
  // Returns the number of a call that may give said_of() as the reason why deliveries of these messages
  // failed.
  std::uint64_t may_say(std::unordered_set<std::string> bodies);
  static std::string said_of(std::uint64_t call) { return "said in call " + std::to_string(call); }
  // Checks the record of a dead letter: each failure in it was said of this message, and each charged release
  // has given a reason.
  void check_said(const std::string& body, const FailureRecord& record) const;

 private:
  // The messages of which each call that gives reasons gives them.
  std::vector<std::unordered_set<std::string>> said_;
};

}  // namespace holdfast::simulation
