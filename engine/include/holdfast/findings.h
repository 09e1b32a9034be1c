// What verify finds wrong, and what salvage could not bring over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace holdfast {

// One thing that is not as it has to be.
struct Finding {
  std::string kind;   // a stable word, for programs: docs/operations.md lists them
  std::string where;  // "messages: queue 'orders' (id 1), seq 5"
  std::string what;   // for a person

  friend bool operator==(const Finding&, const Finding&) = default;
};

struct VerifyReport {
  static constexpr std::size_t kFindingsListed = 1000;

  // The first kFindingsListed. What is unreadable comes before the rest, which may all be due to it.
  std::vector<Finding> findings;
  std::uint64_t found = 0;   // all of them
  std::uint64_t queues = 0;  // looked at, as are these
  std::uint64_t chunks = 0;
  std::uint64_t messages = 0;

  bool sound() const { return found == 0; }
  friend bool operator==(const VerifyReport&, const VerifyReport&) = default;
};

struct SalvageReport {
  // What was lost or had to be made up: a file, a range of rows, a number of messages. As in VerifyReport.
  std::vector<Finding> losses;
  std::uint64_t found = 0;
  std::uint64_t queues = 0;  // brought over, as are these
  std::uint64_t messages = 0;
  std::uint64_t dead_letters = 0;   // of these messages
  std::uint64_t messages_lost = 0;  // known to be: the checkpoints and delivery states counted them

  friend bool operator==(const SalvageReport&, const SalvageReport&) = default;
};

}  // namespace holdfast
