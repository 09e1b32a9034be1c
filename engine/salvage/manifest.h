// What RocksDB's manifest says of the files of a damaged directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "engine/storage/store.h"

namespace holdfast::salvage {

struct ManifestTable {
  std::uint32_t family = 0;  // RocksDB's number of it
  // The keys that it spans. Its range removals count within these alone.
  std::string first;
  std::string end;  // the first key that it does not span
};

struct Manifest {
  // False if it cannot be read to its end, or does not have all that it had: what it names may be gone since,
  // and what it does not name be there.
  bool whole = false;
  std::map<std::uint64_t, ManifestTable> tables;      // by file number: those that are part of the database
  std::set<std::uint64_t> named;                      // file numbers of these and of those that no longer are
  std::map<std::uint32_t, std::string> families;      // names, by RocksDB's numbers, which logs use
  std::map<std::uint32_t, std::uint64_t> first_logs;  // what a family has in earlier logs is in tables, too
  std::optional<std::uint64_t> first_kept_log;        // from which on logs are kept, whatever families have
  std::uint64_t last_write = 0;                       // the sequence number of the last one in the tables
};

// The one that CURRENT names or, where that names none, the last one. Not whole and empty if there is none.
Manifest read_manifest(const std::filesystem::path& directory);

// Of the name of a column family; none of one that is not Holdfast's.
std::optional<Family> parse_family(std::string_view name);

}  // namespace holdfast::salvage
