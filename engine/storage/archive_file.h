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
// What a file holds.
struct ArchiveText {
  std::string lines;  // of all whole frames
  bool torn = false;  // the last one is not: of a crash, or the file was cut
};
// kCorruption if a frame is damaged, or there is not even the one that an archive of nothing has.
Result<ArchiveText> decompress(std::string_view bytes);
// Whether a file begins as a frame does, or ends before it could.
bool is_compressed(std::string_view bytes);

// Appends to one file for each queue: DIRECTORY/QUEUE-YYYYMMDDTHHMMSSZ.jsonl.zst, a new one after kFileBytes.
// Not thread-safe.
class ArchiveWriter {
 public:
  static constexpr std::size_t kFileBytes = std::size_t{64} << 20;

  // A relative one is meant as of now, whatever the process' directory is later.
  explicit ArchiveWriter(const std::filesystem::path& directory);
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;
  ~ArchiveWriter();

  // On disk when it returns. kStorageFailed, kDiskFull; then some of it may be there.
  Result<void> append(const std::string& queue, const std::vector<std::string>& lines, Timestamp time);

 private:
  struct File {
    int descriptor = -1;
    std::size_t bytes = 0;
    Timestamp last_used{};
  };
  Result<File*> file_for(const std::string& queue, Timestamp time);
  void close(File& file);
  void close_oldest();

  const std::filesystem::path directory_;
  std::map<std::string, File> files_;
};

}  // namespace holdfast
