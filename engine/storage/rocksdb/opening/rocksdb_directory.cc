#include "engine/storage/rocksdb/opening/rocksdb_directory.h"

#include <rocksdb/env.h>

#include <string>
#include <system_error>
#include <vector>

#include "engine/storage/durability/durable_mark.h"
#include "engine/storage/files/directories.h"

namespace holdfast {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> directory_failure(const fs::path& dir, const std::string& why) {
  return fail(ErrorCode::kStorageFailed, "cannot use data directory '" + dir.string() + "': " + why);
}

// Creates the directory durably. RocksDB syncs the directory that it writes to, but not the directory's entry
// in its parent: without this sync, a power loss could take away a whole new store.
Result<void> create_home(const fs::path& home, rocksdb::Env& env) {
  std::string why;  // RocksDB's text is not an error of the system
  const auto sync = [&](const fs::path& directory) {
    std::unique_ptr<rocksdb::Directory> handle;
    auto status = env.NewDirectory(directory.string(), &handle);
    if (status.ok()) status = handle->Fsync();
    if (!status.ok()) why = status.ToString();
    return status.ok() ? std::error_code() : std::make_error_code(std::errc::io_error);
  };
  const std::error_code failure = create_durably(home, sync);
  if (!failure) return {};
  return directory_failure(home, why.empty() ? failure.message() : why);
}

bool holds_data(const std::vector<std::string>& files) {
  for (const auto& file : files) {
    const auto extension = fs::path(file).extension();
    if (extension == ".log" || extension == ".sst" || file == kMarkName) return true;
  }
  return false;
}

}  // namespace

tl::unexpected<Error> no_store_in(const fs::path& dir) {
  return fail(ErrorCode::kInvalidArgument,
              "there is no Holdfast store in data directory '" + dir.string() + "'");
}

Result<Home> prepare_directory(const fs::path& dir, const RocksdbStoreOptions& options) {
  std::error_code failure;
  if (dir.empty()) return fail(ErrorCode::kInvalidArgument, "data directory: the path is empty");
  const fs::path home = resolve(dir, failure);
  if (failure) return directory_failure(dir, failure.message());
  auto& env = options.env != nullptr ? *options.env : *rocksdb::Env::Default();
  if (options.create_if_missing) {
    if (auto created = create_home(home, env); !created) return tl::unexpected(created.error());
  }
  if (env.FileExists((home / "CURRENT").string()).ok()) return Home{home, false};
  // A file that may not be looked at is not a missing file.
  std::vector<std::string> files;
  const auto listed = env.GetChildren(home.string(), &files);
  if (!listed.ok() && !listed.IsNotFound() && !listed.IsPathNotFound()) {
    return directory_failure(home, listed.ToString());
  }
  // RocksDB would start an empty store here, over the remains of the old one.
  if (holds_data(files)) {
    return fail(ErrorCode::kCorruption,
                "data directory '" + dir.string() + "' holds data, but its CURRENT file is missing");
  }
  if (!options.create_if_missing) return no_store_in(dir);
  if (!listed.ok()) return directory_failure(home, listed.ToString());
  return Home{home, true};
}

}  // namespace holdfast
