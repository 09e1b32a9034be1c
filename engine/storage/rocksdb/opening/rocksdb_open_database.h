// Opens the database of a directory, or makes a new one there.
#pragma once

#include <rocksdb/db.h>

#include <filesystem>

#include "engine/storage/rocksdb/opening/rocksdb_database.h"
#include "engine/storage/rocksdb/opening/rocksdb_directory.h"
#include "engine/storage/rocksdb/opening/rocksdb_options.h"
#include "holdfast/error.h"

namespace holdfast {

// `home` is what prepare_directory() found for `dir`, the path that errors name.
Result<Database> open_database(const std::filesystem::path& dir, const Home& home, const FamilyPlan& plan,
                               const rocksdb::DBOptions& options, bool read_only);

}  // namespace holdfast
