// Keeps the mark of an open database (see DurableMark) up with what becomes durable.
#pragma once

#include <rocksdb/db.h>

#include <cstdint>
#include <memory>

#include "engine/storage/durability/durable_mark.h"
#include "engine/storage/durability/manifest_watch.h"
#include "engine/storage/durability/rocksdb_log_watch.h"

namespace holdfast {

// Only the opening, commits, which come one at a time, and the closing use it.
class MarkKeeper {
 public:
  // What recovery has found in the log of `db` is in tables, which are synced: the mark says so at once, and
  // is durable when this returns.
  MarkKeeper(rocksdb::DB& db, std::shared_ptr<ManifestWatch> manifest_watch,
             std::shared_ptr<LogWatch> log_watch, DurableMark mark);
  MarkKeeper(const MarkKeeper&) = delete;
  MarkKeeper& operator=(const MarkKeeper&) = delete;

  // Notes that a commit is in the log, before anything else is written there. `first` is the number of its
  // first write.
  void note_written(std::uint64_t first);
  // note_written() is followed by note_buffered() if the commit was not fsynced, and by note_durable() if it
  // was. `last` is the number of its last write.
  void note_buffered();
  void note_durable(std::uint64_t last);

 private:
  void note_manifest();
  void write();

  rocksdb::DB& db_;
  const std::shared_ptr<ManifestWatch> manifest_watch_;
  const std::shared_ptr<LogWatch> log_watch_;
  const DurableMark mark_;
  DurableState durable_;     // what the mark says, or will say once it is written
  bool lacks_logs_ = false;  // durable_ has logs that the mark has not
};

}  // namespace holdfast
