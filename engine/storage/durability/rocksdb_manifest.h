// Reads RocksDB's manifest without RocksDB.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace holdfast {

struct ManifestTable {
  std::uint32_t family = 0;  // the family's number in RocksDB
  // `first` is the first key that the table spans. A range removal in the table counts only for keys that the
  // table spans.
  std::string first;
  std::string end;  // the first key behind those that the table spans
};

struct Manifest {
  // `whole` is false if the manifest cannot be read to its end, or has lost a part. Files that it names may
  // be gone then, and others may be there.
  bool whole = false;
  // `tables` has the tables that are part of the database, by file number.
  std::map<std::uint64_t, ManifestTable> tables;
  std::set<std::uint64_t> named;  // the file numbers of all tables that were ever named
  // The names of the families, by RocksDB's numbers, which logs use.
  std::map<std::uint32_t, std::string> families;
  // `first_logs` has, for each family, the first log whose rows are not in tables.
  std::map<std::uint32_t, std::uint64_t> first_logs;
  // `first_kept_log` is the first log that is kept, whatever the families have.
  std::optional<std::uint64_t> first_kept_log;
  std::uint64_t last_write = 0;  // the sequence number of the last write in the tables

  // Returns the number of the first log that recovery reads: what earlier logs hold is in tables. A family
  // without rows in the logs may name a log that is long gone; then first_kept_log decides.
  std::uint64_t first_needed_log() const;
};

// Reads the bytes of a manifest. The result is `whole` if nothing is missing before the last record; that
// record may break off.
Manifest parse_manifest(std::string_view bytes);

}  // namespace holdfast
