// Files of dead letters: JSON lines (codec/archive_line.h) in frames of zstd, so that `zstdcat` shows them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/time.h"

namespace holdfast {

// Lines compressed into one frame.
Result<std::string> compress_lines(const std::vector<std::string>& lines);
// All whole frames of a file; a torn last one, of a crash, is left out.
Result<std::string> decompress(std::string_view bytes);

// Appends to one file for each queue: DIRECTORY/QUEUE-YYYYMMDDTHHMMSSZ.jsonl.zst, a new one after kFileBytes.
// Not thread-safe.
class ArchiveWriter {
 public:
  static constexpr std::size_t kFileBytes = std::size_t{64} << 20;

  explicit ArchiveWriter(std::filesystem::path directory) : directory_(std::move(directory)) {}
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;
  ~ArchiveWriter();

  // On disk when it returns. kStorageFailed, kDiskFull; then some of it may be there.
  Result<void> append(const std::string& queue, const std::vector<std::string>& lines, Timestamp time);

 private:
  struct File {
    int descriptor = -1;
    std::size_t bytes = 0;
  };
  Result<File*> file_for(const std::string& queue, Timestamp time);
  void close(File& file);

  const std::filesystem::path directory_;
  std::map<std::string, File> files_;
};

}  // namespace holdfast
