#include "tools/examples/demo/ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <system_error>
#include <utility>

namespace holdfast::demo {
namespace {

tl::unexpected<Error> broken(const std::filesystem::path& file) {
  return fail(ErrorCode::kStorageFailed, fmt::format("cannot read the ledger '{}'", file.string()));
}

Result<void> read_ledger(const std::filesystem::path& file, std::vector<Line>& lines) {
  std::ifstream in(file);
  if (!in) return broken(file);
  char entry = 0;
  std::size_t number = 0;
  std::string id;
  while (in >> entry >> number >> id) {
    auto parsed = MessageId::parse(id);
    if (!parsed) return broken(file);
    lines.push_back({static_cast<Entry>(entry), number, *parsed});
  }
  return {};
}

}  // namespace

Result<Ledger> Ledger::open(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) {
    const std::error_code error(errno, std::system_category());
    return fail(ErrorCode::kStorageFailed,
                fmt::format("cannot open the ledger '{}': {}", file.string(), error.message()));
  }
  return Ledger(fd);
}

Ledger::Ledger(Ledger&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Ledger::~Ledger() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> Ledger::append(const std::vector<Line>& lines) {
  if (lines.empty()) return {};
  fmt::memory_buffer text;
  for (const auto& [entry, number, id] : lines) {
    fmt::format_to(std::back_inserter(text), "{} {} {}\n", static_cast<char>(entry), number, id.to_string());
  }
  if (::write(fd_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return fail(ErrorCode::kStorageFailed, "a ledger could not be written");
  }
  return {};
}

Result<std::vector<Line>> read_ledgers(const std::filesystem::path& directory, const std::string& prefix) {
  std::vector<Line> lines;
  for (const auto& file : std::filesystem::directory_iterator(directory)) {
    if (!file.path().filename().string().starts_with(prefix)) continue;
    if (auto read = read_ledger(file.path(), lines); !read) return tl::unexpected(read.error());
  }
  return lines;
}

}  // namespace holdfast::demo
