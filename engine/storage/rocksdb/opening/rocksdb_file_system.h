// file_system_of() makes the file system that a database runs on.
#pragma once

#include <rocksdb/file_system.h>

#include <memory>

#include "engine/storage/durability/rocksdb_fail_stop.h"
#include "engine/storage/durability/rocksdb_log_watch.h"
#include "engine/storage/rocksdb/opening/rocksdb_directory.h"

namespace holdfast {

// Returns a file system on `target` whose files are private, which tells `log_watch` about the logs, and on
// which `fail_stop` ends all writing.
std::shared_ptr<rocksdb::FileSystem> file_system_of(const Home& home, bool read_only,
                                                    const std::shared_ptr<rocksdb::FileSystem>& target,
                                                    const std::shared_ptr<FailStop>& fail_stop,
                                                    const std::shared_ptr<LogWatch>& log_watch);

}  // namespace holdfast
