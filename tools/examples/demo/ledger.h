// What a worker or the producer wrote down about its own work, in append-only files, one for each process or
// thread. These files do not depend on the broker, so the accounts are balanced against them.
//
// A line is either whole or not there: it is appended with one write(), which a kill of the process does not
// undo. A worker appends "processed" *before* it acknowledges. In the other order, a kill in between would
// lose a message. In this order, the message is handed out again, and a second "processed" line shows it.
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
  kGivenBack = 'g',  // the worker released the message unstarted and uncharged
  kProcessed = 'p',  // the worker found the package fine
  kSent = 's',       // every package before `number` is accepted; the producer writes this
  kUnknown = 'u',    // the outcome of a send of this package was unknown, so the producer sends it again
};

struct Line {
  Entry entry{};
  std::size_t number = 0;  // the number of the package in the index
  MessageId id = {};       // the producer leaves this out
};

class Ledger {
 public:
  // Opens the file for appending. Creates it if there is none.
  static Result<Ledger> open(const std::filesystem::path& file);
  Ledger(Ledger&& other) noexcept;
  Ledger& operator=(Ledger&&) = delete;
  ~Ledger();

  // Appends all lines with a single write.
  Result<void> append(const std::vector<Line>& lines);

 private:
  explicit Ledger(int fd) : fd_(fd) {}
  int fd_;
};

// Returns the lines of all ledgers of a directory whose file names begin with `prefix`.
Result<std::vector<Line>> read_ledgers(const std::filesystem::path& directory, const std::string& prefix);

}  // namespace holdfast::demo
