#include "engine/storage/files/archive_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "engine/storage/files/directories.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

constexpr int kLevel = 3;

tl::unexpected<Error> failed(const std::string& what) {
  const int error = errno;
  return fail(error == ENOSPC ? ErrorCode::kDiskFull : ErrorCode::kStorageFailed,
              "the archive: " + what + ": " + std::generic_category().message(error));
}

Result<void> write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return failed("write");
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// This many files are open at most, however many queues there are.
constexpr std::size_t kOpenFiles = 32;

std::filesystem::path absolute_of(const std::filesystem::path& directory) {
  std::error_code error;
  return directory.empty() ? directory : std::filesystem::absolute(directory, error);
}

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// Returns whether a file begins as a frame does, or ends before that can be told.
bool is_compressed(std::string_view bytes) {
  constexpr std::string_view kMagic = "\x28\xb5\x2f\xfd";
  return kMagic.starts_with(bytes.substr(0, kMagic.size()));
}

// Hands out the content of the frames piece by piece, since a few bytes may stand for gigabytes. Returns the
// size of the whole frames.
Result<std::size_t> inflate(std::string_view bytes,
                            const std::function<Result<void>(std::string_view piece)>& take) {
  const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  std::string block(ZSTD_DStreamOutSize(), '\0');
  std::size_t whole = 0;
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  while (in.pos < in.size) {
    ZSTD_outBuffer out{block.data(), block.size(), 0};
    const std::size_t left = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(left) != 0) {
      return fail(ErrorCode::kCorruption, "the archive: zstd: " + std::string(ZSTD_getErrorName(left)));
    }
    if (auto ok = take(std::string_view(block.data(), out.pos)); !ok) return tl::unexpected(ok.error());
    if (left == 0) whole = in.pos;
  }
  return whole;
}

// Splits a text that comes in pieces into lines.
class LineSplitter {
 public:
  explicit LineSplitter(const ArchiveReader::TakeLine& take) : take_(take) {}

  Result<void> add(std::string_view piece) {
    for (;;) {
      const std::size_t end = piece.find('\n');
      line_.append(piece.substr(0, end).substr(0, limits::kArchiveLineBytes + 1 - line_.size()));
      if (end == std::string_view::npos) return {};
      if (auto ok = take_(line_); !ok) return ok;
      line_.clear();
      piece.remove_prefix(end + 1);
    }
  }
  // The last line may lack its end.
  Result<void> finish() { return line_.empty() ? Result<void>() : take_(line_); }

 private:
  const ArchiveReader::TakeLine& take_;
  std::string line_;
};

}  // namespace

std::string file_time(Timestamp time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  const auto digits = [](auto number, std::size_t width) {
    std::string text = std::to_string(number);
    return text.size() < width ? text.insert(0, width - text.size(), '0') : text;
  };
  return digits(static_cast<int>(date.year()), 4) + digits(static_cast<unsigned>(date.month()), 2) +
         digits(static_cast<unsigned>(date.day()), 2) + "T" + digits(clock.hours().count(), 2) +
         digits(clock.minutes().count(), 2) + digits(clock.seconds().count(), 2) + "Z";
}

Result<std::string> compress_lines(const std::vector<std::string>& lines) {
  std::string plain;
  for (const std::string& line : lines) plain.append(line).push_back('\n');
  std::string frame(ZSTD_compressBound(plain.size()), '\0');
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  // Without a checksum, most flipped bits would give other lines and no error.
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  const std::size_t size =
      ZSTD_compress2(context.get(), frame.data(), frame.size(), plain.data(), plain.size());
  if (ZSTD_isError(size) != 0)
    return fail(ErrorCode::kInternal, "zstd: " + std::string(ZSTD_getErrorName(size)));
  frame.resize(size);
  return frame;
}

ArchiveReader::ArchiveReader(std::string_view bytes) : whole_(bytes), compressed_(is_compressed(bytes)) {}

// Looks through all frames first, so that nothing is read from a damaged archive or a torn frame.
Result<ArchiveReader> ArchiveReader::open(std::string_view bytes) {
  if (bytes.empty()) return fail(ErrorCode::kCorruption, "the archive is empty");
  ArchiveReader reader(bytes);
  if (!reader.compressed_) return reader;
  const auto whole = inflate(bytes, [](std::string_view /*piece*/) { return Result<void>(); });
  if (!whole) return tl::unexpected(whole.error());
  reader.whole_ = bytes.substr(0, *whole);
  reader.torn_ = *whole < bytes.size();
  return reader;
}

Result<void> ArchiveReader::for_each_line(const TakeLine& take) const {
  LineSplitter lines(take);
  if (!compressed_) {
    if (auto ok = lines.add(whole_); !ok) return ok;
    return lines.finish();
  }
  const auto read = inflate(whole_, [&lines](std::string_view piece) { return lines.add(piece); });
  if (!read) return tl::unexpected(read.error());
  return lines.finish();
}

ArchiveWriter::ArchiveWriter(const std::filesystem::path& directory) : directory_(absolute_of(directory)) {}

ArchiveWriter::~ArchiveWriter() {
  for (auto& [queue, file] : files_) close(file);
}

void ArchiveWriter::close(File& file) {
  if (file.descriptor >= 0) ::close(file.descriptor);
  file = {};
}

void ArchiveWriter::abandon(File& file) {
  if (file.bytes == 0) ::unlink(file.path.c_str());
  close(file);
}

void ArchiveWriter::close_oldest() {
  const auto oldest =
      std::ranges::min_element(files_, {}, [](const auto& entry) { return entry.second.last_used; });
  close(oldest->second);
  files_.erase(oldest);
}

// What is written to a file that was moved to another device, or deleted, is lost with its descriptor.
bool ArchiveWriter::is_there(const File& file) {
  struct stat named {};
  struct stat open {};
  return ::stat(file.path.c_str(), &named) == 0 && ::fstat(file.descriptor, &open) == 0 &&
         named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

Result<ArchiveWriter::File*> ArchiveWriter::file_for(const std::string& queue, Timestamp time) {
  if (!files_.contains(queue) && files_.size() >= kOpenFiles) close_oldest();
  File& file = files_[queue];
  const bool is_over = file.bytes >= kFileBytes || time - file.last_used > kPause;
  if (file.descriptor >= 0 && (is_over || !is_there(file))) close(file);
  file.last_used = time;
  if (file.descriptor >= 0) return &file;
  const auto failed_directory = [](const std::error_code& error) {
    return fail(error == std::errc::no_space_on_device ? ErrorCode::kDiskFull : ErrorCode::kStorageFailed,
                "the archive: its directory: " + error.message());
  };
  if (const auto error = create_durably(directory_); error) return failed_directory(error);
  const std::string base = queue + "-" + file_time(time);
  // An earlier file may end in a torn frame, so nothing is ever appended to it.
  for (int n = 0; file.descriptor < 0; ++n) {
    const std::string name = base + (n == 0 ? "" : "-" + std::to_string(n)) + ".jsonl.zst";
    file.path = directory_ / name;
    file.descriptor = ::open(file.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file.descriptor < 0 && errno != EEXIST) return failed("open of " + name);
  }
  if (const auto error = sync_directory(directory_); error) {
    abandon(file);  // the next attempt uses another file, whose entry must be synced too
    return failed_directory(error);
  }
  return &file;
}

Result<void> ArchiveWriter::append(const std::string& queue, const std::vector<std::string>& lines,
                                   Timestamp time) {
  const auto frame = compress_lines(lines);
  if (!frame) return tl::unexpected(frame.error());
  auto file = file_for(queue, time);
  if (!file) return tl::unexpected(file.error());
  Result<void> written = write_all((*file)->descriptor, *frame);
  if (written && ::fdatasync((*file)->descriptor) != 0) written = failed("fsync");
  if (written && !is_there(**file))
    written = fail(ErrorCode::kStorageFailed, "the archive: its file was moved or deleted meanwhile");
  if (!written) {
    abandon(**file);  // a frame that failed half way must not precede another one
    return written;
  }
  (*file)->bytes += frame->size();
  return {};
}

}  // namespace holdfast
