// Starts RocksDB's threads early. RocksDB starts some when a database is opened, and if it cannot have one it
// throws and leaves the database half open.
#pragma once

#include <rocksdb/status.h>

#include <functional>

#include "holdfast/error.h"

namespace holdfast {

// At most this many flushes and compactions run at a time.
inline constexpr int kBackgroundJobs = 2;

// Makes RocksDB start all threads that a store needs, unless it has done so; they stay for the rest of the
// process. Must be called before a store is opened, which then starts none. kOverloaded if there are not
// enough threads.
Result<void> start_rocksdb_threads();

// Returns what `ask` returns, or TryAgain if `ask` could not have a thread. It serves calls of RocksDB that
// start threads of their own each time.
rocksdb::Status or_no_thread(const std::function<rocksdb::Status()>& ask);

}  // namespace holdfast
