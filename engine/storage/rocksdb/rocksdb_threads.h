// RocksDB's threads. It starts some when a database is opened, and throws where none can be had, with the
// database half open.
#pragma once

#include <rocksdb/status.h>

#include <functional>

#include "holdfast/error.h"

namespace holdfast {

// Has RocksDB start all threads that a store needs, for the rest of the process, unless it has: to be called
// before a store is opened, which then starts none. kOverloaded if there are not as many.
Result<void> start_rocksdb_threads();

// What `ask` gives; TryAgain if it found no thread. For what starts threads of its own each time.
rocksdb::Status or_no_thread(const std::function<rocksdb::Status()>& ask);

}  // namespace holdfast
