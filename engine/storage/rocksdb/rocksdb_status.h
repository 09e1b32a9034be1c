// RocksDB's statuses in the engine's words: the one place where they are told apart.
#pragma once

#include <rocksdb/status.h>

#include <filesystem>
#include <string_view>

#include "engine/storage/store.h"
#include "holdfast/error.h"

namespace holdfast {

// Why opening the store in `dir` failed.
Error open_error(const rocksdb::Status& status, const std::filesystem::path& dir);

// Why a read, or a close, failed. `doing` is what was tried: "reading messages".
Error storage_error(const rocksdb::Status& status, std::string_view doing);

// What became of a batch whose write returned `status`, which is not ok.
CommitResult failed_commit(const rocksdb::Status& status);

}  // namespace holdfast
