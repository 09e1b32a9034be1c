#include "storage/rocksdb_salvage.h"

#include <rocksdb/db.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "storage/rocksdb_fail_stop.h"
#include "storage/rocksdb_lock.h"
#include "storage/rocksdb_options.h"
#include "storage/rocksdb_status.h"
#include "storage/rocksdb_store.h"

namespace holdfast {
namespace {

namespace fs = std::filesystem;

RocksdbStoreOptions lenient_options() { return {.create_if_missing = false, .lenient = true}; }

std::vector<fs::path> files_of(const fs::path& directory, std::error_code& error) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (entry.is_regular_file(error)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// The number in "000012.sst"; 0 if there is none.
std::uint64_t number_of(const fs::path& file) {
  const std::string name = file.stem().string();
  std::uint64_t number = 0;
  const auto* end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end ? number : 0;
}

// Whether every family can be read from its start.
bool is_readable(const Store& store) {
  for (std::size_t i = 0; i < kFamilyCount; ++i) {
    const auto scan = store.scan(static_cast<Family>(i), {}, std::string(16, '\xff'));
    if (!scan->status()) return false;
  }
  return true;
}

// RocksDB's repair learns the families' names and numbers from the tables alone, so what is only in the log
// would be lost: gives it a table of each family, with a row that no key of Holdfast's equals.
Result<void> add_tables_of_all_families(const fs::path& copy, std::uint64_t first_number) {
  const fs::path skeleton = copy / "skeleton";
  auto options = lenient_options();
  options.create_if_missing = true;
  auto store = open_rocksdb_store(skeleton, options);
  if (!store) return tl::unexpected(store.error());
  const auto batch = (*store)->new_batch();
  for (std::size_t i = 0; i < kFamilyCount; ++i) batch->put(static_cast<Family>(i), kSkeletonKey, {});
  (*store)->commit(*batch, Durability::kBuffered);
  for (std::size_t i = 0; i < kFamilyCount; ++i) {
    const auto done = (*store)->compact(static_cast<Family>(i), {}, std::string(16, '\xff'));
    if (!done) return done;
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

Result<void> rebuild(const fs::path& copy, const LostFile& lost) {
  std::error_code error;
  std::uint64_t last = 0;
  for (const fs::path& file : files_of(copy, error)) last = std::max(last, number_of(file));
  if (auto added = add_tables_of_all_families(copy, last + 1); !added) return added;
  const auto options = lenient_options();
  const FamilyPlan plan = plan_families(options);
  const auto status =
      rocksdb::RepairDB(copy.string(), database_options(options, std::make_shared<FailStop>()), plan.built_in,
                        plan.application);
  if (!status.ok()) return tl::unexpected(open_error(status, copy));
  // Where RocksDB puts what it could not read; the old manifests and the logs it has turned into tables, too.
  for (const fs::path& file : files_of(copy / "lost", error)) {
    if (file.extension() == ".sst")
      lost(file.filename().string(), "the table cannot be read, nothing of it was brought over");
  }
  return {};
}

}  // namespace

Result<void> copy_store_files(const fs::path& from, const fs::path& copy, const LostFile& lost) {
  std::error_code error;
  if (!fs::is_directory(from, error)) {
    return fail(ErrorCode::kInvalidArgument, "'" + from.string() + "' is not a directory");
  }
  DirectoryLock lock;
  if (auto locked = lock.take(fs::canonical(from, error)); !locked) return locked;
  const std::vector<fs::path> files = files_of(from, error);
  for (const fs::path& file : files) {
    if (file.filename() == "LOCK") continue;
    fs::copy_file(file, copy / file.filename(), error);
    if (error) lost(file.filename().string(), "it cannot be copied: " + error.message());
  }
  const bool any = std::ranges::any_of(
      files, [](const fs::path& file) { return file.extension() == ".sst" || file.extension() == ".log"; });
  if (any) return {};
  return fail(ErrorCode::kInvalidArgument, "there is nothing of a Holdfast store in '" + from.string() + "'");
}

Result<std::unique_ptr<Store>> open_damaged_store(const fs::path& copy, const LostFile& lost) {
  {
    auto store = open_rocksdb_store(copy, lenient_options());
    if (store && is_readable(**store)) return store;
    if (store) (void)(*store)->close();
  }
  if (auto rebuilt = rebuild(copy, lost); !rebuilt) return tl::unexpected(rebuilt.error());
  return open_rocksdb_store(copy, lenient_options());
}

}  // namespace holdfast
