// Reports: what verify found wrong, and what salvage could not bring over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace holdfast {

// One thing that is wrong with what is stored.
struct Finding {
  std::string kind;   // a stable word for programs; docs/operations.md lists all of them
  std::string where;  // "messages: queue 'orders' (id 1), seq 5"
  std::string what;   // what is wrong, for a person

  friend bool operator==(const Finding&, const Finding&) = default;
};

struct VerifyReport {
  static constexpr std::size_t kFindingsListed = 1000;

  // The first kFindingsListed findings. Those about unreadable data come first, since they may be the cause
  // of all others.
  std::vector<Finding> findings;
  std::uint64_t found = 0;     // the number of all findings, also of those that are not listed
  std::uint64_t queues = 0;    // queues that verify looked at
  std::uint64_t chunks = 0;    // chunks that verify looked at
  std::uint64_t messages = 0;  // messages that verify looked at

  bool sound() const { return found == 0; }
  friend bool operator==(const VerifyReport&, const VerifyReport&) = default;
};

struct SalvageReport {
  // What was lost or had to be made up: a file, a range of rows, a number of messages. The list has at most
  // VerifyReport::kFindingsListed entries, and unreadable data comes first.
  std::vector<Finding> losses;
  std::uint64_t found = 0;          // the number of all losses, also of those that are not listed
  std::uint64_t queues = 0;         // queues that were brought over
  std::uint64_t messages = 0;       // messages that were brought over
  std::uint64_t dead_letters = 0;   // how many of these messages are dead letters
  std::uint64_t messages_lost = 0;  // messages that checkpoints and delivery states counted and that are gone

  friend bool operator==(const SalvageReport&, const SalvageReport&) = default;
};

}  // namespace holdfast
