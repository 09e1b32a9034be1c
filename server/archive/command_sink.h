// Archives dead letters by running a program.
#pragma once

#include <string>
#include <vector>

#include "holdfast/archive_sink.h"

namespace holdfast::server {

// Runs the program once for each batch, in a process group of its own. Its standard input has the lines, each
// with its end. Its environment has HOLDFAST_ARCHIVE_QUEUE, HOLDFAST_ARCHIVE_NAME (the batch's name, see
// ArchiveBatch) and HOLDFAST_ARCHIVE_COUNT (the number of lines). The batch counts as archived if the program
// reads all of it and then exits with 0. If the program fails, its time is over or the engine closes, all of
// its process group is killed.
class CommandSink final : public ArchiveSink {
 public:
  CommandSink(std::vector<std::string> words, Duration timeout);

  // Archives a batch. kUnavailable says how the program ended, with the end of what it wrote to its standard
  // error.
  Result<void> write(const ArchiveBatch& batch, const std::stop_token& stop) override;

 private:
  const std::vector<std::string> words_;
  const Duration timeout_;
};

// Returns kInvalidArgument if there is no such program, or if it may not be run.
Result<void> check_program(const std::string& program);

}  // namespace holdfast::server
