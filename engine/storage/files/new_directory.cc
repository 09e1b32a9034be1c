#include "engine/storage/files/new_directory.h"

#include <stdlib.h>

#include <string>
#include <system_error>
#include <utility>

#include "engine/storage/files/directories.h"

namespace holdfast {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> failure(const fs::path& path, const std::error_code& why) {
  return fail(ErrorCode::kStorageFailed, "cannot write '" + path.string() + "': " + why.message());
}

}  // namespace

Result<NewDirectory> NewDirectory::begin(const fs::path& target, std::string_view word) {
  std::error_code error;
  const fs::path home = target.empty() ? target : resolve(target, error);
  if (error) return failure(target, error);
  if (!home.has_filename()) {
    return fail(ErrorCode::kInvalidArgument, "the directory to write to has no name");
  }
  // A path that is still a symbolic link leads nowhere, and cannot be replaced.
  const bool is_there = fs::exists(fs::symlink_status(home, error));
  if (is_there && !(fs::is_directory(home, error) && fs::is_empty(home, error))) {
    return fail(ErrorCode::kInvalidArgument,
                "'" + target.string() + "' is there already and not empty; nothing is overwritten");
  }
  if (is_there && is_mounted(home)) {
    return fail(ErrorCode::kInvalidArgument,
                "'" + target.string() + "' is where a file system is mounted; name a directory below it");
  }
  if (error = create_durably(home.parent_path()); error) return failure(home.parent_path(), error);
  std::string name = home.string() + "." + std::string(word) + "-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) return failure(name, last_error());
  return NewDirectory(home, name);
}

NewDirectory::NewDirectory(fs::path target, fs::path path)
    : target_(std::move(target)), path_(std::move(path)) {}

NewDirectory::NewDirectory(NewDirectory&& other) noexcept
    : target_(std::move(other.target_)), path_(std::exchange(other.path_, {})) {}

NewDirectory::~NewDirectory() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<void> NewDirectory::finish() {
  std::error_code error = sync_directory(path_);
  if (error) return failure(path_, error);
  // The rename replaces an empty directory and nothing else.
  fs::rename(path_, target_, error);
  if (error) return failure(target_, error);
  path_.clear();
  error = sync_directory(target_.parent_path());
  if (error) return failure(target_.parent_path(), error);
  return {};
}

}  // namespace holdfast
