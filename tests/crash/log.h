// The child tells its parent of an operation before it makes the call, and again with the answer: one line
// each, short enough that a pipe takes it whole or not at all.
//
//   pending <op> send <queue> <key> <durability>     settled <op> ok <id> <durability>|<error>
//   pending <op> receive <queue>                     settled <op> ok <leases> (<key> <deliveries>
//   <replays>)*,
//                                                    or <error>
//   pending <op> ack|release|spare <queue> <key> <replays>
//                                                    settled <op> ok|<error>
//   pending <op> reject <queue> <key> <replays>      the reason is "reason-<op>"
//   pending <op> transfer <queue> <key> <replays> <to> <new key> <durability>
//                                                    settled <op> ok <id> <durability>|<error>
//   pending <op> redrive <queue>
//
// <durability> is "fsync" or "buffered": of a call what is asked for, of an answer what it says.
// <leases> is how many leases could run out, one after the other, while the receive went on.
// "spare" is a release that is not charged; "transfer" is a transaction that acknowledges one message and
// sends another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/message.h"

namespace holdfast::testing {

struct LogLine {
  bool settled = false;
  std::uint64_t op = 0;
  std::vector<std::string> words;
};

LogLine parse_log_line(std::string_view line);

inline std::string word_of(Durability durability) {
  return durability == Durability::kFsync ? "fsync" : "buffered";
}
// Throws if the word names no durability.
Durability durability_of(const std::string& word);

inline std::string reason_of(std::uint64_t op) { return "reason-" + std::to_string(op); }

// Writes one line to standard output with one system call.
void write_log_line(const std::string& line);

}  // namespace holdfast::testing
