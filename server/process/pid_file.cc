#include "server/process/pid_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace holdfast::server {
namespace {

tl::unexpected<Error> failed(const std::filesystem::path& path, int number) {
  // The other errors are due to the file's name.
  const bool passes = number == EMFILE || number == ENFILE || number == ENOSPC || number == EDQUOT ||
                      number == EIO || number == ENOLCK;
  return fail(passes ? ErrorCode::kUnavailable : ErrorCode::kInvalidArgument,
              "pid-file '" + path.string() + "': " + std::system_category().message(number));
}

std::string content_of(int file) {
  std::array<char, 32> text{};
  const auto size = ::pread(file, text.data(), text.size(), 0);
  std::string content(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  return content.substr(0, content.find('\n'));
}

}  // namespace

Result<PidFile> PidFile::write(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file < 0) return failed(path, errno);
  PidFile held(path, file);
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    const int number = errno;
    held.file_ = -1;  // the file belongs to another process
    const std::string holder = content_of(file);
    ::close(file);
    if (number != EWOULDBLOCK) return failed(path, number);
    return fail(ErrorCode::kLocked, "pid-file '" + path.string() + "': process " + holder + " holds it");
  }
  struct stat info {};
  if (::fstat(file, &info) == 0 && info.st_nlink == 0) {  // its last holder has just removed it
    ::close(std::exchange(held.file_, -1));
    return write(path);
  }
  // The file is there to be read, whatever the umask. If this fails, the file is somebody else's and keeps
  // its mode.
  (void)::fchmod(file, 0644);
  const std::string text = std::to_string(::getpid()) + '\n';
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, text.data(), text.size(), 0) != std::ssize(text))
    return failed(path, errno);
  return held;
}

PidFile::PidFile(PidFile&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

PidFile::~PidFile() {
  if (file_ < 0) return;
  ::unlink(path_.c_str());
  ::close(file_);
}

}  // namespace holdfast::server
