// Translates RocksDB's statuses into the engine's errors. No other place tells them apart.
#pragma once

#include <rocksdb/status.h>

#include <filesystem>
#include <string_view>

#include "engine/storage/store.h"
#include "holdfast/error.h"

namespace holdfast {

// Says why opening the store in `dir` failed.
Error open_error(const rocksdb::Status& status, const std::filesystem::path& dir);

// Says why a read or a close failed. `doing` is what was tried, such as "reading messages".
Error storage_error(const rocksdb::Status& status, std::string_view doing);

// Says what became of a batch whose write returned `status`, which is not ok.
CommitResult failed_commit(const rocksdb::Status& status);

}  // namespace holdfast
