// Opens a database that is there, if it holds what its mark says was durable.
#pragma once

#include <rocksdb/db.h>

#include <cstdint>
#include <filesystem>
#include <optional>

#include "engine/storage/durability/durable_mark.h"
#include "engine/storage/rocksdb/opening/rocksdb_database.h"
#include "engine/storage/rocksdb/opening/rocksdb_directory.h"
#include "engine/storage/rocksdb/opening/rocksdb_families_to_open.h"
#include "holdfast/error.h"

namespace holdfast {

// An ExistingDatabase is one that is there, with what is known of it before it is opened.
struct ExistingDatabase {
  const std::filesystem::path& dir;
  const Home& home;
  const FamiliesToOpen& there;
  const std::optional<DurableState>& mark;
  std::uint64_t first_needed = 0;  // as first_needed_write() returns it
};

// Recovers what is in the logs as well, as open_rocksdb_store() says.
Result<Database> open_existing(const ExistingDatabase& existing, const rocksdb::DBOptions& options,
                               bool read_only);

}  // namespace holdfast
