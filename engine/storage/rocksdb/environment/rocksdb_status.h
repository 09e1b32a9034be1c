// Translates RocksDB's statuses into the engine's errors. No other place tells them apart.
#pragma once

#include <rocksdb/status.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/storage/store.h"
#include "holdfast/error.h"

namespace holdfast {

// Returns whether `status` says that a lock could not be taken because this process has it.
bool is_held_by_this_process(const rocksdb::Status& status);
// Returns the process that holds RocksDB's lock of `dir`, for example "process 7"; nothing if none does. Must
// not be called while this process holds the lock: closing the file would drop it.
std::optional<std::string> lock_holder(const std::filesystem::path& dir);

// Says that `holder` has the store in `dir` open: kLocked.
Error already_open(const std::filesystem::path& dir, const std::string& holder);
// Says why opening the store in `dir` failed.
Error open_error(const rocksdb::Status& status, const std::filesystem::path& dir);

// Says why a read or a close failed. `doing` is what was tried, such as "reading messages".
Error storage_error(const rocksdb::Status& status, std::string_view doing);

// Says what became of a batch whose write returned `status`, which is not ok.
CommitResult failed_commit(const rocksdb::Status& status);

}  // namespace holdfast
