#include "engine/salvage/manifest.h"

#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "engine/storage/durability/durable_mark.h"
#include "engine/storage/durability/rocksdb_durability.h"
#include "engine/storage/durability/rocksdb_log.h"
#include "engine/storage/files/directories.h"

namespace holdfast::salvage {
namespace {

namespace fs = std::filesystem;

fs::path find_manifest(const fs::path& directory) {
  std::error_code error;
  fs::path current = current_manifest(directory);
  if (file_number(current) > 0 && fs::exists(current, error)) return current;
  fs::path last;
  for (const fs::path& file : files_of(directory, error)) {
    const bool is_one = file.filename().string().starts_with("MANIFEST-");
    if (is_one && (last.empty() || file_number(file) > file_number(last))) last = file;
  }
  return last;
}

bool is_complete(const fs::path& table) {
  rocksdb::SstFileReader reader{rocksdb::Options()};
  return reader.Open(table.string()).ok();
}

// Returns whether the files are there that the manifest's last record left. RocksDB removes a file only after
// a later record was written.
bool has_its_files(const fs::path& directory, const Manifest& manifest) {
  if (!manifest.first_kept_log) return false;
  std::error_code error;
  std::set<std::uint64_t> logs;
  std::set<std::uint64_t> tables;
  for (const fs::path& file : files_of(directory, error)) {
    if (file.extension() == ".log") logs.insert(file_number(file));
    if (file.extension() == ".sst") tables.insert(file_number(file));
  }
  return logs.contains(*manifest.first_kept_log) &&
         std::ranges::all_of(manifest.tables,
                             [&](const auto& table) { return tables.contains(table.first); });
}

// Returns whether the manifest has all its records. A manifest that was cut reads as it was earlier. The mark
// tells that, but the manifest may have grown after the mark was written. It grows by tables that were
// finished before, so a finished table that it has never named may be one that a lost record named. Such a
// table may also come from a process that was killed before it wrote the record; then it has rows that were
// removed since. While everything that the table was made of is there, logs or other tables, it has nothing
// that they do not have, and is ignored.
bool has_all(const fs::path& directory, const fs::path& file, const Manifest& manifest) {
  const auto mark = read_mark(directory);
  if (mark && !has_manifest(file, *mark)) return false;
  if (has_its_files(directory, manifest)) return true;
  std::error_code error;
  return std::ranges::none_of(files_of(directory, error), [&](const fs::path& table) {
    return table.extension() == ".sst" && !manifest.named.contains(file_number(table)) && is_complete(table);
  });
}

}  // namespace

Manifest read_manifest(const fs::path& directory) {
  const fs::path file = find_manifest(directory);
  if (file.empty()) return {};
  Manifest manifest = parse_manifest(read_bytes(file));
  manifest.whole = manifest.whole && has_all(directory, file, manifest);
  return manifest;
}

std::optional<Family> parse_family(std::string_view name) {
  for (std::size_t i = 0; i < kFamilyCount; ++i) {
    if (family_name(static_cast<Family>(i)) == name) return static_cast<Family>(i);
  }
  return parse_application_family(name);
}

}  // namespace holdfast::salvage
