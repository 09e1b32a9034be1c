#include "engine/storage/files/directories.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace holdfast {
namespace {

namespace fs = std::filesystem;

std::error_code sync(const fs::path& path, int flags) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
  if (file < 0) return last_error();
  const std::error_code result = ::fsync(file) == 0 ? std::error_code() : last_error();
  ::close(file);
  return result;
}

fs::path parent_of(const fs::path& directory) {
  const fs::path parent = directory.parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

}  // namespace

std::error_code last_error() { return {errno, std::generic_category()}; }

fs::path resolve(const fs::path& path, std::error_code& error) {
  const fs::path absolute = fs::absolute(path, error);
  if (error) return {};
  const fs::path resolved = fs::weakly_canonical(absolute, error);
  return resolved.has_filename() ? resolved : resolved.parent_path();
}

bool is_mounted(const fs::path& directory) {
  struct stat own {};
  struct stat parent {};
  return ::stat(directory.c_str(), &own) == 0 && ::stat(parent_of(directory).c_str(), &parent) == 0 &&
         own.st_dev != parent.st_dev;
}

std::error_code sync_file(const fs::path& file) { return sync(file, 0); }

std::error_code sync_directory(const fs::path& directory) { return sync(directory, O_DIRECTORY); }

std::error_code create_durably(const fs::path& directory,
                               const std::function<std::error_code(const fs::path&)>& sync) {
  std::error_code error;
  const fs::path parent = parent_of(directory);
  if (fs::is_directory(directory, error)) {
    // An earlier call may have created it and failed before the entry was durable.
    return is_mounted(directory) || ::access(parent.c_str(), R_OK) != 0 ? std::error_code() : sync(parent);
  }
  if (parent != directory) {
    if (error = create_durably(parent, sync); error) return error;
  }
  if (::mkdir(directory.c_str(), S_IRWXU) != 0 && errno != EEXIST) return last_error();
  return sync(parent);
}

std::vector<fs::path> files_of(const fs::path& directory, std::error_code& error) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (fs::directory_iterator entry(directory, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (entry->is_regular_file(ignored)) files.push_back(entry->path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace holdfast
