#include "server/net/unix_socket_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cerrno>
#include <system_error>

namespace holdfast::server {
namespace {

using Unix = boost::asio::local::stream_protocol;

tl::unexpected<Error> system_failure(const std::string& path, int number) {
  auto code = number == EACCES || number == EPERM ? ErrorCode::kPermissionDenied : ErrorCode::kUnavailable;
  return fail(code, "unix:" + path + ": " + std::system_category().message(number));
}

boost::system::error_code try_connect(const std::string& path) {
  boost::asio::io_context io;
  Unix::socket socket(io);
  boost::system::error_code error;
  socket.connect(Unix::endpoint(path), error);
  return error;
}

}  // namespace

Result<void> remove_stale_socket(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return {};
    return system_failure(path, errno);
  }
  if (!S_ISSOCK(info.st_mode)) return fail(ErrorCode::kInvalidArgument, "unix:" + path + " is not a socket");
  auto error = try_connect(path);
  if (!error) return fail(ErrorCode::kUnavailable, "unix:" + path + " is in use by another process");
  if (error != boost::asio::error::connection_refused) return system_failure(path, error.value());
  if (::unlink(path.c_str()) != 0) return system_failure(path, errno);
  return {};
}

Result<UnixSocketFile> UnixSocketFile::claim(const std::string& path, bool open) {
  struct stat info {};
  const mode_t mode = S_IRUSR | S_IWUSR | (open ? S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH : 0);
  if (::chmod(path.c_str(), mode) != 0 || ::lstat(path.c_str(), &info) != 0) {
    return system_failure(path, errno);
  }
  return UnixSocketFile(path, info.st_dev, info.st_ino);
}

void UnixSocketFile::remove() {
  struct stat info {};
  if (::lstat(path_.c_str(), &info) != 0 || info.st_dev != device_ || info.st_ino != inode_) return;
  ::unlink(path_.c_str());
}

}  // namespace holdfast::server
