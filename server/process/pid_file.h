// PidFile is the file that says which process a server is.
#pragma once

#include <filesystem>

#include "holdfast/error.h"

namespace holdfast::server {

// The file is held by a lock that ends with the process, however the process ends; a file that was left
// behind is simply taken over. A movable handle: the destructor removes the file.
class PidFile {
 public:
  // Writes this process's id. kLocked names the process that holds the file. kInvalidArgument if there can be
  // no file of that name, or this process may not write it. kUnavailable.
  static Result<PidFile> write(const std::filesystem::path& path);

  PidFile(PidFile&& other) noexcept;
  PidFile& operator=(PidFile&&) = delete;
  ~PidFile();

 private:
  PidFile(std::filesystem::path path, int file) : path_(std::move(path)), file_(file) {}

  std::filesystem::path path_;
  int file_;  // -1 after a move
};

}  // namespace holdfast::server
