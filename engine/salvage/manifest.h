// What RocksDB's manifest says of the files of a damaged directory.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "engine/storage/durability/rocksdb_manifest.h"
#include "engine/storage/store.h"

namespace holdfast::salvage {

// The one that CURRENT names or, where that names none, the last one. Not whole and empty if there is none.
Manifest read_manifest(const std::filesystem::path& directory);

// Of the name of a column family; none of one that is not Holdfast's.
std::optional<Family> parse_family(std::string_view name);

}  // namespace holdfast::salvage
