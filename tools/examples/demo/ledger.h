// What a worker or the producer wrote down about its own work: append-only files, one for each process or
// thread. They are the demo's own truth, independent of the broker's, and what the accounts are balanced
// against.
//
// A line is whole or not there: it is appended with one write(), which a kill of the process does not undo.
// A worker appends "processed" *before* it acknowledges. The other order would lose a message to a kill in
// between; this one hands it out again, and the second "processed" line shows it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/ids.h"

namespace holdfast::demo {

enum class Entry : char {
  kHandedOut = 'h',  // a worker got the message
  kGivenBack = 'g',  // and released it unstarted, not charged
  kProcessed = 'p',  // and found the package fine
  kSent = 's',       // the producer: every package before `number` is accepted
  kUnknown = 'u',    // the producer: a send of this package had an unknown outcome, so it was sent again
};

struct Line {
  Entry entry{};
  std::size_t number = 0;  // of the package in the index
  MessageId id = {};       // unused by the producer
};

class Ledger {
 public:
  // Creates the file, or continues it.
  static Result<Ledger> open(const std::filesystem::path& file);
  Ledger(Ledger&& other) noexcept;
  Ledger& operator=(Ledger&&) = delete;
  ~Ledger();

  // All lines with one write.
  Result<void> append(const std::vector<Line>& lines);

 private:
  explicit Ledger(int fd) : fd_(fd) {}
  int fd_;
};

// All lines of all ledgers of a directory whose file names begin with `prefix`.
Result<std::vector<Line>> read_ledgers(const std::filesystem::path& directory, const std::string& prefix);

}  // namespace holdfast::demo
