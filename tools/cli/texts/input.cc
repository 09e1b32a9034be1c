#include "tools/cli/texts/input.h"

#include <unistd.h>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <istream>
#include <system_error>

namespace holdfast::command {

Error unreadable(const std::string& name) { return {ErrorCode::kInvalidArgument, "cannot read " + name}; }

Error unreadable(const std::string& name, int error) {
  return {ErrorCode::kInvalidArgument, "cannot read " + name + ": " + std::generic_category().message(error)};
}

// Streams turn exceptions of their buffers, such as those for a directory, into badbit. Stream iterators
// would let the exceptions out.
Result<std::string> read_all(std::istream& in, const std::string& name) {
  std::string bytes;
  std::array<char, 65536> some{};
  do {
    in.read(some.data(), some.size());
    bytes.append(some.data(), static_cast<std::size_t>(in.gcount()));
  } while (in);
  if (in.bad() || !in.eof()) return tl::unexpected(unreadable(name));
  return bytes;
}

Result<std::string> read_file(const std::string& path, const std::string& name) {
  if (auto ok = check_readable(path, name); !ok) return tl::unexpected(ok.error());
  std::ifstream file(path, std::ios::binary);
  if (!file) return tl::unexpected(unreadable(name, errno));
  return read_all(file, name);
}

// The file is checked first, since streams do not say why they cannot be opened.
Result<void> check_readable(const std::string& path, const std::string& name) {
  if (::access(path.c_str(), R_OK) != 0) return tl::unexpected(unreadable(name, errno));
  if (std::filesystem::is_directory(path)) return tl::unexpected(unreadable(name, EISDIR));
  return {};
}

}  // namespace holdfast::command
