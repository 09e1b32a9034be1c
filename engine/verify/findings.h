// Collects what a check has found.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/ids.h"
#include "holdfast/operations.h"

namespace holdfast::verify {

class Findings {
 public:
  // `listed` receives the first VerifyReport::kFindingsListed findings, of which unreadable ones take
  // precedence. `found` receives the number of all findings.
  Findings(std::vector<Finding>& listed, std::uint64_t& found) : listed_(listed), found_(found) {}

  // `kind` is one of the words that docs/operations.md lists.
  void add(std::string_view kind, std::string where, std::string what);

 private:
  std::vector<Finding>& listed_;
  std::uint64_t& found_;
};

// Describes a place: "messages: queue 'orders' (id 1), seq 5".
std::string place(std::string_view family, std::string_view queue_name, QueueId queue, Seq seq);
// Describes a place: "catalog: queue 'orders' (id 1)".
std::string place(std::string_view family, std::string_view queue_name, QueueId queue);

}  // namespace holdfast::verify
