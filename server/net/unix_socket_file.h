// A Unix socket has a file, which its listener takes charge of and removes.
#pragma once

#include <sys/types.h>

#include <string>

#include "holdfast/error.h"

namespace holdfast::server {

// Removes a socket file that a process left behind. kUnavailable if a process answers there, kInvalidArgument
// if the file is not a socket.
Result<void> remove_stale_socket(const std::string& path);

// A UnixSocketFile has charge of the file that a listener made. remove() deletes it if it is still the same.
class UnixSocketFile {
 public:
  // Takes charge of the file of a socket that is bound and does not listen yet. The file becomes accessible
  // to everybody if `open`, and to its owner alone otherwise.
  static Result<UnixSocketFile> claim(const std::string& path, bool open);
  void remove();

 private:
  UnixSocketFile(std::string path, dev_t device, ino_t inode)
      : path_(std::move(path)), device_(device), inode_(inode) {}

  std::string path_;
  dev_t device_;
  ino_t inode_;
};

}  // namespace holdfast::server
