// Reading RocksDB's manifest without RocksDB.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace holdfast {

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

  // The number from which on recovery reads the logs: what earlier ones hold is in tables. A family without
  // rows in the logs may name a log that is long gone, and then the first that is kept tells.
  std::uint64_t first_needed_log() const;
};

// Of the bytes of a manifest. Whole where nothing is missing before its last record.
Manifest parse_manifest(std::string_view bytes);

}  // namespace holdfast
