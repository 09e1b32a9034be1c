// This header declares the verbs of those who operate: backups, numbers, compaction, verification.
// holdfast/broker.h says what holds of every verb.
#pragma once

#include <filesystem>
#include <string_view>

#include "holdfast/error.h"
#include "holdfast/operations.h"
#include "holdfast/statistics.h"
#include "holdfast/time.h"

namespace holdfast {

class OperationVerbs {
 public:
  virtual ~OperationVerbs() = default;

  // Adds a backup of everything to a directory of backups, and creates that directory if it is missing. It
  // goes on beside all other calls and holds none of them up. The backup is a consistent prefix of what was
  // committed: everything that was committed when this was called, buffered or not, and of what came later
  // everything up to some moment. It is incremental: table files that an earlier backup in the directory has
  // are not copied again. For a client, `directory` is a name within the directory that the server keeps
  // backups in (holdfastd --backups); kPermissionDenied if the server has none.
  // kInvalidArgument if the directory holds something else or is within the engine's own; kStorageFailed;
  // kDiskFull if the backup would leave less than EngineOptions::free_space_reserve on its device; kClosed,
  // and no backup, if the engine is closed meanwhile.
  virtual Result<BackupInfo> backup(const std::filesystem::path& directory, BackupOptions options = {}) = 0;
  // Returns numbers about the engine, its store and all queues together.
  virtual Result<EngineStatistics> statistics() = 0;
  // Returns numbers about one queue, such as its rates and how old its messages are.
  virtual Result<QueueStatistics> queue_statistics(std::string_view queue) = 0;
  // Rewrites what is on disk without what was removed, now instead of when RocksDB gets to it: the rows of
  // one queue or, with an empty name, everything. It slows other calls down and may take long. kClosed if the
  // engine is closed meanwhile; what was rewritten by then stays so.
  virtual Result<void> compact(std::string_view queue = {}) = 0;
  // Reads everything once and reports what is damaged or inconsistent. Changes nothing. kClosed, and no
  // report, if the engine is closed meanwhile.
  virtual Result<VerifyReport> verify() = 0;

  // Returns the engine's time: all its stamps are of this clock, so ages are to be computed with it. It
  // follows the wall clock of the engine's machine. A client computes it from what the server said when it
  // last connected, whatever the clock of its own machine says.
  virtual Timestamp now() const = 0;
};

}  // namespace holdfast

// HOLDFAST_OPERATION_VERBS lists each verb, with the number of its parameters, and how many of them, counted
// from the end, have a default. Broker says what the list is for. now() is no call, and not in the list.
#define HOLDFAST_OPERATION_VERBS(FORM) \
  FORM(backup, 2, 1)                   \
  FORM(statistics, 0, 0)               \
  FORM(queue_statistics, 1, 0)         \
  FORM(compact, 1, 1)                  \
  FORM(verify, 0, 0)
