// Finds the families of a database that is not open yet, and whether it is Holdfast's.
#pragma once

#include <rocksdb/db.h>

#include <filesystem>
#include <vector>

#include "engine/storage/rocksdb/opening/rocksdb_directory.h"
#include "engine/storage/rocksdb/opening/rocksdb_options.h"
#include "holdfast/error.h"

namespace holdfast {

// FamiliesToOpen has the built-in families, and those of the application that are there.
struct FamiliesToOpen {
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  rocksdb::Status listed;    // whether all of them were found
  bool has_catalog = false;  // the very first opening makes the catalog before the others

  // Explains the status of an opening. RocksDB refuses to leave families out, which would look like a newer
  // format.
  rocksdb::Status explain(const rocksdb::Status& opened) const {
    return opened.IsInvalidArgument() && !listed.ok() ? listed : opened;
  }
};

FamiliesToOpen families_in(const Home& home, const FamilyPlan& plan, const rocksdb::DBOptions& options);

// Checks that the database is Holdfast's. A database without the catalog is left by a crash of the very first
// opening, or belongs to another program and must stay as it is. If the families are not known, opening fails
// and says why.
Result<void> check_ours(const std::filesystem::path& dir, const Home& home, const FamiliesToOpen& there,
                        const FamilyPlan& plan, const rocksdb::DBOptions& options, bool has_mark);

}  // namespace holdfast
