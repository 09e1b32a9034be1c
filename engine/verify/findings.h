// What a check has found.
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
  // Where to: the first VerifyReport::kFindingsListed to `listed`, what is unreadable before anything else,
  // and the number of all to `found`.
  Findings(std::vector<Finding>& listed, std::uint64_t& found) : listed_(listed), found_(found) {}

  // `kind`: one of the words listed in docs/operations.md.
  void add(std::string_view kind, std::string where, std::string what);

 private:
  std::vector<Finding>& listed_;
  std::uint64_t& found_;
};

// "messages: queue 'orders' (id 1), seq 5"
std::string place(std::string_view family, std::string_view queue_name, QueueId queue, Seq seq);
// "catalog: queue 'orders' (id 1)"
std::string place(std::string_view family, std::string_view queue_name, QueueId queue);

}  // namespace holdfast::verify
