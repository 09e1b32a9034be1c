// Archives dead letters by running a program.
#pragma once

#include <string>
#include <vector>

#include "holdfast/archive_sink.h"

namespace holdfast::server {

// Runs the program once for each batch, in a process group of its own. Its standard input has the lines, each
// with its end; its environment has HOLDFAST_ARCHIVE_QUEUE, HOLDFAST_ARCHIVE_NAME (of the batch: see
// ArchiveBatch) and HOLDFAST_ARCHIVE_COUNT (of its lines). The batch is taken if the program has read all of
// it and then exits with 0. When its time is over or the engine closes it is killed; then, and whenever it
// fails, all of its group is.
class CommandSink final : public ArchiveSink {
 public:
  CommandSink(std::vector<std::string> words, Duration timeout);

  // kUnavailable, with how the program ended and the last of what it wrote to its standard error.
  Result<void> write(const ArchiveBatch& batch, const std::stop_token& stop) override;

 private:
  const std::vector<std::string> words_;
  const Duration timeout_;
};

// kInvalidArgument if there is no such program, or it may not be run.
Result<void> check_program(const std::string& program);

}  // namespace holdfast::server
