// Where dead letters are written before retention deletes them.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/time.h"

namespace holdfast {

// Dead letters of one queue that are kept no longer.
struct ArchiveBatch {
  std::string queue;
  // Made of the lines: a batch that comes again has the name that it had, and no other batch of the queue has
  // it. So whoever stores a batch under its queue and name replaces it by itself at most. As in
  // "20260301T093000Z-5f0c4be1a7d2936e5f0c4be1a7d2936e": the time is that of the earliest death.
  std::string name;
  std::vector<std::string> lines;  // each a JSON object, as `holdfast dlq import` reads them
  Timestamp time{};                // now, by the engine's time
};

// A place for them: the engine's own is EngineOptions::archive_directory.
class ArchiveSink {
 public:
  ArchiveSink() = default;
  ArchiveSink(const ArchiveSink&) = delete;
  ArchiveSink& operator=(const ArchiveSink&) = delete;
  virtual ~ArchiveSink() = default;

  // The batch is safe, whatever fails, when this returns: then its dead letters are deleted. After an error
  // they stay, and come again after a minute. So they do after a crash, alone or with others, and after a
  // write that was done and of which that could not be told: what is archived may be there twice, and is
  // never lost. Called by one thread at a time, and no call of the engine waits for it. `stop` is requested
  // when the engine closes, which waits for this. An exception counts as an error.
  virtual Result<void> write(const ArchiveBatch& batch, const std::stop_token& stop) = 0;
};

// How it went since the engine was opened.
struct ArchiveHealth {
  Result<void> last;           // the error of the last batch, if that was not taken
  Timestamp failing_since{};   // the first of the failures in a row; that of `last`
  std::uint64_t written = 0;   // dead letters that were taken
  std::uint64_t failures = 0;  // batches that were not
};

}  // namespace holdfast
