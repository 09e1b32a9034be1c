#include "storage/rocksdb_rebuild.h"

#include <rocksdb/db.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "storage/directories.h"
#include "storage/rocksdb_fail_stop.h"
#include "storage/rocksdb_options.h"
#include "storage/rocksdb_status.h"

namespace holdfast {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTable = ".sst";

// The number in "000012.sst"; 0 if there is none.
std::uint64_t number_of(const fs::path& file) {
  const std::string name = file.stem().string();
  std::uint64_t number = 0;
  const auto* end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end ? number : 0;
}

std::uint64_t last_number(const fs::path& directory) {
  std::error_code error;
  std::uint64_t last = 0;
  for (const fs::path& file : files_of(directory, error)) last = std::max(last, number_of(file));
  return last;
}

void move_tables(const fs::path& from, const fs::path& to, std::uint64_t last) {
  std::error_code error;
  for (const fs::path& file : files_of(from, error)) {
    if (file.extension() == kTable && number_of(file) <= last) fs::rename(file, to / file.filename(), error);
  }
}

// RocksDB's repair learns the families' names and numbers from the tables alone, so what is only in the log
// would be lost: gives it a table of each family, with a row that no key of Holdfast's equals.
Result<void> add_tables_of_all_families(const fs::path& copy, std::uint64_t first_number) {
  const fs::path skeleton = copy / "skeleton";
  auto options = lenient_store_options();
  options.create_if_missing = true;
  auto store = open_rocksdb_store(skeleton, options);
  if (!store) return tl::unexpected(store.error());
  const auto batch = (*store)->new_batch();
  for (std::size_t i = 0; i < kFamilyCount; ++i) batch->put(static_cast<Family>(i), kSkeletonKey, {});
  (*store)->commit(*batch, Durability::kBuffered);
  for (std::size_t i = 0; i < kFamilyCount; ++i) {
    if (auto done = (*store)->compact(static_cast<Family>(i), {}, std::string(16, '\xff')); !done)
      return done;
  }
  if (auto closed = (*store)->close(); !closed) return closed;
  std::error_code error;
  for (const fs::path& file : files_of(skeleton, error)) {
    if (file.extension() != ".sst") continue;
    std::string name = std::to_string(first_number++);
    name.insert(0, 6 - std::min<std::size_t>(6, name.size()), '0');
    fs::rename(file, copy / (name + ".sst"), error);
  }
  fs::remove_all(skeleton, error);
  return {};
}

// All tables, and the logs made into tables, are on level 0 afterwards.
Result<void> repair(const fs::path& directory) {
  const auto options = lenient_store_options();
  const FamilyPlan plan = plan_families(options);
  const auto status = rocksdb::RepairDB(directory.string(),
                                        database_options(options, directory, std::make_shared<FailStop>()),
                                        plan.built_in, plan.application);
  if (!status.ok()) return tl::unexpected(open_error(status, directory));
  return {};
}

// The tables of a repaired directory, with the sequence numbers that they span.
Result<std::vector<rocksdb::LiveFileMetaData>> tables_in(const fs::path& directory) {
  std::vector<std::string> names;
  rocksdb::Status status = rocksdb::DB::ListColumnFamilies({}, directory.string(), &names);
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  families.reserve(names.size());
  for (const std::string& name : names) families.emplace_back(name, rocksdb::ColumnFamilyOptions());
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  if (status.ok()) status = rocksdb::DB::OpenForReadOnly({}, directory.string(), families, &handles, &opened);
  if (!status.ok()) return tl::unexpected(open_error(status, directory));
  const std::unique_ptr<rocksdb::DB> db(opened);
  std::vector<rocksdb::LiveFileMetaData> tables;
  db->GetLiveFilesMetaData(&tables);
  for (auto* handle : handles) db->DestroyColumnFamilyHandle(handle);
  return tables;
}

bool covers(const rocksdb::LiveFileMetaData& one, const rocksdb::LiveFileMetaData& other) {
  return one.column_family_name == other.column_family_name && one.smallest_seqno <= other.smallest_seqno &&
         one.largest_seqno >= other.largest_seqno;
}

// Of each that another covers, the file.
std::vector<fs::path> covered(const fs::path& directory, const std::vector<rocksdb::LiveFileMetaData>& tables,
                              const std::vector<rocksdb::LiveFileMetaData>& by) {
  std::vector<fs::path> files;
  for (const auto& table : tables) {
    if (std::ranges::any_of(by, [&](const auto& other) { return covers(other, table); }))
      files.push_back(directory / table.relative_filename);
  }
  return files;
}

// A machine that dies while a table is made of a log leaves both, and a repair makes another table of the
// log. RocksDB refuses two tables on level 0 that hold the same writes. A sequence number is of one write, so
// the table whose numbers lie within the other's has nothing that the other lacks. That is not so of the
// tables of add_tables_of_all_families(), which count for themselves: they cover nothing.
Result<void> drop_doubles(const fs::path& copy, std::uint64_t last) {
  const fs::path older = copy / "older";
  std::error_code error;
  fs::create_directory(older, error);
  move_tables(copy, older, last);
  for (const fs::path& directory : {copy, older}) {
    if (auto repaired = repair(directory); !repaired) return repaired;
  }
  auto of_logs = tables_in(copy);
  if (!of_logs) return tl::unexpected(of_logs.error());
  std::erase_if(*of_logs, [last](const auto& table) {
    return number_of(fs::path(table.relative_filename)) <= last + kFamilyCount;
  });
  const auto of_tables = tables_in(older);
  if (!of_tables) return tl::unexpected(of_tables.error());
  auto doubles = covered(older, *of_tables, *of_logs);
  if (doubles.empty()) doubles = covered(copy, *of_logs, *of_tables);
  for (const fs::path& file : doubles) fs::remove(file, error);
  move_tables(older, copy, UINT64_MAX);
  fs::remove_all(older, error);
  return repair(copy);
}

}  // namespace

RocksdbStoreOptions lenient_store_options() { return {.create_if_missing = false, .lenient = true}; }

Result<void> rebuild_store(const fs::path& copy, const LostFile& lost) {
  const std::uint64_t last = last_number(copy);
  if (auto added = add_tables_of_all_families(copy, last + 1); !added) return added;
  if (!repair(copy)) {
    if (auto dropped = drop_doubles(copy, last); !dropped) return dropped;
  }
  std::error_code error;
  // Where RocksDB puts what it could not read; the old manifests and the logs it has turned into tables, too.
  for (const fs::path& file : files_of(copy / "lost", error)) {
    if (file.extension() == kTable)
      lost(file.filename().string(), "the table cannot be read, nothing of it was brought over");
  }
  return {};
}

}  // namespace holdfast
