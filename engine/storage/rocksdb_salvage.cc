#include "storage/rocksdb_salvage.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "storage/ballast.h"
#include "storage/directories.h"
#include "storage/rocksdb_lock.h"
#include "storage/rocksdb_rebuild.h"
#include "storage/rocksdb_store.h"

namespace holdfast {
namespace {

namespace fs = std::filesystem;

// Whether every family can be read from its start.
bool is_readable(const Store& store) {
  for (std::size_t i = 0; i < kFamilyCount; ++i) {
    const auto scan = store.scan(static_cast<Family>(i), {}, std::string(16, '\xff'));
    if (!scan->status()) return false;
  }
  return true;
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
  if (error) lost(from.string(), "its files cannot all be listed: " + error.message());
  for (const fs::path& file : files) {
    if (file.filename() == "LOCK" || file.filename() == Ballast::kName) continue;
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
    auto store = open_rocksdb_store(copy, lenient_store_options());
    if (store && is_readable(**store)) return store;
    if (store) (void)(*store)->close();
  }
  if (auto rebuilt = rebuild_store(copy, lost); !rebuilt) return tl::unexpected(rebuilt.error());
  return open_rocksdb_store(copy, lenient_store_options());
}

}  // namespace holdfast
