#include "engine/storage/durability/rocksdb_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "engine/base/helpers/check.h"
#include "engine/storage/files/crc32c.h"
#include "engine/storage/files/directories.h"
#include "engine/storage/files/little_endian.h"

namespace holdfast {
namespace {

namespace fs = std::filesystem;

// A log consists of blocks, and a block of fragments: checksum:u32 length:u16 type:u8 payload. A record is
// one fragment, or several in a row. No fragment spans two blocks. A commit is a record.
constexpr std::size_t kHeader = 7;
constexpr std::size_t kBatchHeader = 12;  // sequence:u64 count:u32

enum class Part : std::uint8_t { kWhole = 1, kFirst, kMiddle, kLast };

struct Fragment {
  Part part;
  std::string_view payload;
  std::size_t end;  // where the next fragment begins
};

std::uint32_t mask(std::uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8; }

std::optional<Fragment> fragment_at(std::string_view bytes, std::size_t at) {
  if (at + kHeader > bytes.size()) return std::nullopt;
  const std::size_t size = load_little<std::uint16_t>(bytes, at + 4);
  const auto type = static_cast<std::uint8_t>(bytes[at + 6]);
  const std::size_t end = at + kHeader + size;
  const std::size_t block_end = at / kLogBlock * kLogBlock + kLogBlock;
  if (type < 1 || type > 4 || end > block_end || end > bytes.size()) return std::nullopt;
  if (mask(crc32c(bytes.substr(at + 6, size + 1))) != load_little<std::uint32_t>(bytes, at))
    return std::nullopt;
  return Fragment{static_cast<Part>(type), bytes.substr(at + kHeader, size), end};
}

bool is_zeros(std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; }

// A block without room for another header is filled up with zeros.
std::size_t skip_filling(std::size_t at) {
  const std::size_t left = kLogBlock - at % kLogBlock;
  return left < kHeader ? at + left : at;
}

// Returns whether the gap has a sector of zeros. A page that was synced before may still be as it was then:
// zeros from the beginning of the gap to the page's end.
bool has_sector_of_zeros(std::string_view bytes, std::size_t begin, std::size_t end) {
  const std::size_t sector_end = (begin + kSector - 1) / kSector * kSector;
  if (begin < sector_end && sector_end <= end && is_zeros(bytes.substr(begin, sector_end - begin)))
    return true;
  for (std::size_t at = sector_end; at + kSector <= end; at += kSector) {
    if (is_zeros(bytes.substr(at, kSector))) return true;
  }
  return false;
}

class LogReading {
 public:
  LogReading(std::string_view bytes, const std::function<void(std::string_view)>& visit)
      : bytes_(bytes), visit_(visit) {}

  std::vector<LogGap> run() {
    for (;;) {
      at_ = skip_filling(at_);
      if (at_ >= bytes_.size()) break;
      if (const auto fragment = fragment_at(bytes_, at_)) {
        take(*fragment);
        at_ = fragment->end;
        continue;
      }
      // The file's space was reserved and not used.
      if (is_zeros(bytes_.substr(at_))) break;
      const std::size_t begin = joining_ ? joined_from_ : at_;
      joining_ = false;
      at_ = next_fragment();
      add_gap(begin, at_);
    }
    if (joining_) add_gap(joined_from_, bytes_.size());
    return std::move(gaps_);
  }

 private:
  std::size_t next_fragment() const {
    for (std::size_t at = at_ + 1; at + kHeader <= bytes_.size(); ++at) {
      if (kLogBlock - at % kLogBlock >= kHeader && fragment_at(bytes_, at)) return at;
    }
    return bytes_.size();
  }

  void take(const Fragment& fragment) {
    const bool begins = fragment.part == Part::kWhole || fragment.part == Part::kFirst;
    if (begins) {
      if (joining_) add_gap(joined_from_, at_);
      joined_.clear();
      joined_from_ = at_;
      joining_ = true;
    }
    if (!joining_) return;  // the rest of a record whose beginning is not there
    joined_.append(fragment.payload);
    if (fragment.part != Part::kWhole && fragment.part != Part::kLast) return;
    joining_ = false;
    visit_(joined_);
  }

  void add_gap(std::size_t begin, std::size_t end) {
    HOLDFAST_CHECK(begin < end && end <= bytes_.size(), "a gap is a part of the log");
    HOLDFAST_CHECK(gaps_.empty() || gaps_.back().end <= begin, "gaps come in order, and apart");
    gaps_.push_back({begin, end, end == bytes_.size() || has_sector_of_zeros(bytes_, begin, end)});
  }

  const std::string_view bytes_;
  const std::function<void(std::string_view)>& visit_;
  std::size_t at_ = 0;
  bool joining_ = false;  // a record whose last fragment has not come
  std::size_t joined_from_ = 0;
  std::string joined_;
  std::vector<LogGap> gaps_;
};

// Returns the last write in a log. A commit may begin long before the end of the log, so it looks at the last
// block, then at twice as many, and so on. Returns 0 if there is damage with commits behind it: recovery
// takes a fragment that seems to end behind the file for the torn end of the log, and stops there.
std::uint64_t last_in(const fs::path& log) {
  std::error_code error;
  const std::uint64_t size = fs::file_size(log, error);
  if (error || size == 0) return 0;
  const std::uint64_t last_block = (size - 1) / kLogBlock;
  for (std::uint64_t blocks = 1;; blocks *= 2) {
    const std::uint64_t begin = last_block + 1 > blocks ? (last_block + 1 - blocks) * kLogBlock : 0;
    std::uint64_t last = 0;
    const std::string bytes = read_bytes(log, begin);
    const auto gaps =
        read_log(bytes, [&](const LoggedCommit& commit) { last = std::max(last, commit.last); });
    if (std::ranges::any_of(gaps, [&](const LogGap& gap) { return gap.end < bytes.size(); })) return 0;
    if (last > 0 || begin == 0) return last;
  }
}

}  // namespace

std::vector<LogGap> read_records(std::string_view bytes,
                                 const std::function<void(std::string_view record)>& visit) {
  return LogReading(bytes, visit).run();
}

std::vector<LogGap> read_log(std::string_view bytes, const std::function<void(const LoggedCommit&)>& visit) {
  return read_records(bytes, [&](std::string_view record) {
    if (record.size() < kBatchHeader) return;
    const auto first = load_little<std::uint64_t>(record, 0);
    const auto writes = load_little<std::uint32_t>(record, 8);
    if (writes > 0) visit({first, first + writes - 1, record});
  });
}

std::vector<fs::path> logs_in(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> logs = files_of(directory, error);
  std::erase_if(logs,
                [](const fs::path& file) { return file.extension() != ".log" || file_number(file) == 0; });
  std::ranges::sort(logs, {}, file_number);
  return logs;
}

std::uint64_t last_logged(const fs::path& directory) {
  std::vector<fs::path> logs = logs_in(directory);
  std::ranges::reverse(logs);
  for (const fs::path& log : logs) {
    if (const std::uint64_t last = last_in(log); last > 0) return last;
  }
  return 0;
}

std::uint64_t file_number(const fs::path& file) {
  constexpr std::string_view kManifest = "MANIFEST-";
  const std::string stem = file.stem().string();
  std::string_view digits = stem;
  if (digits.starts_with(kManifest)) digits.remove_prefix(kManifest.size());
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size() ? number : 0;
}

std::string read_bytes(const fs::path& file, std::uint64_t begin, std::uint64_t end) {
  constexpr std::size_t kPiece = 4096;  // the bytes that are lost if one of them cannot be read
  std::error_code error;
  const std::uint64_t size = fs::file_size(file, error);
  const int descriptor = error ? -1 : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  end = std::min(end, size);
  std::string bytes(end > begin ? end - begin : 0, '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    const auto read =
        ::pread(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(begin + done));
    if (read == 0) break;
    done += read > 0 ? static_cast<std::size_t>(read) : kPiece;
  }
  ::close(descriptor);
  return bytes;
}

}  // namespace holdfast
