// Reads what RocksDB's manifest says of the files of a damaged directory.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "engine/storage/durability/rocksdb_manifest.h"
#include "engine/storage/store.h"

namespace holdfast::salvage {

// Reads the manifest that CURRENT names or, if there is none by that name, the last one. The result is empty
// and not whole if there is no manifest.
Manifest read_manifest(const std::filesystem::path& directory);

// Returns the family of a column family's name; nothing if it is not Holdfast's.
std::optional<Family> parse_family(std::string_view name);

}  // namespace holdfast::salvage
