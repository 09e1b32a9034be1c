// The archive: where retention writes dead letters before it deletes them.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/time.h"

namespace holdfast {

// An ArchiveBatch has some dead letters of one queue whose retention has ended.
struct ArchiveBatch {
  std::string queue;
  // `name` names the batch within its queue, for example "20260301T093000Z-5f0c4be1a7d2936e5f0c4be1a7d2936e":
  // the time of the earliest death and a hash of the lines. A batch that comes again has the same name, and
  // no other batch of the queue has it. So a sink that stores a batch under queue and name can replace the
  // batch only by itself.
  std::string name;
  std::vector<std::string> lines;  // each a JSON object, as `holdfast dlq import` reads them
  Timestamp time{};                // the engine's time when the batch was made
};

// Takes dead letters whose retention has ended. The engine's own implementation writes files to
// EngineOptions::archive_directory.
class ArchiveSink {
 public:
  ArchiveSink() = default;
  ArchiveSink(const ArchiveSink&) = delete;
  ArchiveSink& operator=(const ArchiveSink&) = delete;
  virtual ~ArchiveSink() = default;

  // Stores a batch. When this returns without an error, the batch must be safe against any failure: the
  // engine then deletes its dead letters.
  //
  // After an error the dead letters stay, and the engine tries again a minute later. They also come again
  // after a crash, alone or together with others, and when a write succeeded but its answer was lost. So a
  // dead letter may be archived twice, and is never lost. An exception counts as an error.
  //
  // The engine calls this on one thread at a time, and no call of the engine waits for it. Closing the engine
  // requests `stop` and waits until this returns.
  virtual Result<void> write(const ArchiveBatch& batch, const std::stop_token& stop) = 0;
};

// ArchiveHealth says how archiving has gone since the engine was opened.
struct ArchiveHealth {
  Result<void> last;  // the error of the last batch, if the sink did not take it
  // The failures in a row, of which `last` is the latest, began at this time.
  Timestamp failing_since{};
  std::uint64_t written = 0;   // dead letters that the sink took
  std::uint64_t failures = 0;  // batches that it did not take
};

}  // namespace holdfast
