#include "engine/storage/durability/durable_mark.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

#include "engine/storage/durability/rocksdb_log.h"
#include "engine/storage/files/crc32c.h"
#include "engine/storage/files/directories.h"
#include "engine/storage/files/little_endian.h"

namespace holdfast {
namespace {

constexpr std::string_view kMagic = "HFmark01";
constexpr std::size_t kState = 3 * sizeof(std::uint64_t);
constexpr std::size_t kBytes = kMagic.size() + kState + sizeof(std::uint32_t);
// The file has all its space from the beginning, so that a full disk does not end the marks.
constexpr std::size_t kPage = 4096;

std::string encode(const DurableState& state) {
  std::string bytes(kMagic);
  append_little(bytes, state.sequence);
  append_little(bytes, state.manifest);
  append_little(bytes, state.manifest_bytes);
  append_little(bytes, crc32c(bytes));
  return bytes;
}

}  // namespace

std::optional<DurableState> read_mark(const std::filesystem::path& directory) {
  const std::string bytes = read_bytes(directory / kMarkName, 0, kBytes);
  if (bytes.size() < kBytes || !bytes.starts_with(kMagic)) return std::nullopt;
  const std::size_t at = kMagic.size();
  if (load_little<std::uint32_t>(bytes, at + kState) !=
      crc32c(std::string_view(bytes).substr(0, at + kState)))
    return std::nullopt;
  return DurableState{load_little<std::uint64_t>(bytes, at), load_little<std::uint64_t>(bytes, at + 8),
                      load_little<std::uint64_t>(bytes, at + 16)};
}

DurableMark::DurableMark(const std::filesystem::path& directory)
    : directory_(directory),
      file_(::open((directory / kMarkName).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
  if (file_ < 0 || ::lseek(file_, 0, SEEK_END) >= static_cast<off_t>(kPage)) return;
  const std::string page(kPage, '\0');
  if (::pwrite(file_, page.data(), page.size(), 0) == static_cast<ssize_t>(page.size())) return;
  ::close(std::exchange(file_, -1));
}

DurableMark::DurableMark(DurableMark&& other) noexcept
    : directory_(std::move(other.directory_)), file_(std::exchange(other.file_, -1)) {}

DurableMark::~DurableMark() {
  if (file_ >= 0) ::close(file_);
}

void DurableMark::write(const DurableState& state) const {
  if (file_ < 0) return;
  const std::string bytes = encode(state);
  [[maybe_unused]] const auto written = ::pwrite(file_, bytes.data(), bytes.size(), 0);
}

void DurableMark::sync() const {
  if (file_ < 0 || ::fdatasync(file_) != 0) return;
  (void)sync_directory(directory_);
}

}  // namespace holdfast
