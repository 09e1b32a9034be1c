#include "engine/storage/durability/durable_mark.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/helpers/check.h"
#include "engine/storage/durability/rocksdb_log.h"
#include "engine/storage/files/crc32c.h"
#include "engine/storage/files/directories.h"
#include "engine/storage/files/little_endian.h"

namespace holdfast {
namespace {

// A mark is magic sequence manifest manifest_bytes, and a crc32c of these; then the number of logs, each log
// and its first write, and a crc32c of everything. If zeros follow the first part, the mark knows no log.
constexpr std::string_view kMagic = "HFmark01";
constexpr std::size_t kState = kMagic.size() + 3 * sizeof(std::uint64_t);
constexpr std::size_t kCrc = sizeof(std::uint32_t);
constexpr std::size_t kLogsBegin = kState + kCrc;
constexpr std::size_t kLog = 2 * sizeof(std::uint64_t);
// A mark is no longer than a sector, so a power loss leaves all of it or nothing.
constexpr std::size_t kMaxLogs = (kSector - kLogsBegin - sizeof(std::uint32_t) - kCrc) / kLog;
// The file has all its space from the beginning, so that a full disk does not stop the marks.
constexpr std::size_t kPage = 4096;

void append_log(std::string& bytes, const LogBegin& log) {
  append_little(bytes, log.log);
  append_little(bytes, log.first);
}

std::string encode(const DurableState& state) {
  std::string bytes;
  bytes.reserve(kSector);
  bytes += kMagic;
  append_little(bytes, state.sequence);
  append_little(bytes, state.manifest);
  append_little(bytes, state.manifest_bytes);
  const std::uint32_t crc = crc32c(bytes);
  append_little(bytes, crc);
  const std::size_t count = std::min(state.logs.size(), kMaxLogs);
  append_little(bytes, static_cast<std::uint32_t>(count));
  for (std::size_t i = 0; i + 1 < count; ++i) append_log(bytes, state.logs[i]);
  if (count > 0) append_log(bytes, state.logs.back());
  append_little(bytes, crc32c(std::string_view(bytes).substr(kState), crc));
  HOLDFAST_CHECK(bytes.size() <= kSector, "a mark is no longer than a sector");
  return bytes;
}

bool has_crc(std::string_view bytes, std::size_t end) {
  return end + kCrc <= bytes.size() && load_little<std::uint32_t>(bytes, end) == crc32c(bytes.substr(0, end));
}

std::vector<LogBegin> decode_logs(std::string_view bytes) {
  std::size_t at = kLogsBegin;
  if (at + sizeof(std::uint32_t) > bytes.size()) return {};
  const std::size_t count = load_little<std::uint32_t>(bytes, at);
  at += sizeof(std::uint32_t);
  if (count > kMaxLogs || !has_crc(bytes, at + count * kLog)) return {};
  std::vector<LogBegin> logs(count);
  for (LogBegin& log : logs) {
    log = {load_little<std::uint64_t>(bytes, at), load_little<std::uint64_t>(bytes, at + 8)};
    at += kLog;
  }
  return logs;
}

}  // namespace

std::optional<DurableState> read_mark(const std::filesystem::path& directory) {
  const std::string bytes = read_bytes(directory / kMarkName, 0, kSector);
  if (!bytes.starts_with(kMagic) || !has_crc(bytes, kState)) return std::nullopt;
  const std::size_t at = kMagic.size();
  return DurableState{load_little<std::uint64_t>(bytes, at), load_little<std::uint64_t>(bytes, at + 8),
                      load_little<std::uint64_t>(bytes, at + 16), decode_logs(bytes)};
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
