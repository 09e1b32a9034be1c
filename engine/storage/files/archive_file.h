// This header handles files of dead letters. They hold JSON lines (codec/dead_letters/archive_line.h) in
// frames of zstd, so that `zstdcat` shows them.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/time.h"

namespace holdfast {

// Formats a time for a file's name, in UTC: "20260301T093000Z".
std::string file_time(Timestamp time);

// Compresses the lines into one frame of zstd with a checksum.
Result<std::string> compress_lines(const std::vector<std::string>& lines);

// Hands out the lines of a file, which consists of frames or is plain text. It holds one line in memory at a
// time.
class ArchiveReader {
 public:
  // Takes a line without its line feed. A line of more than limits::kArchiveLineBytes is cut to one byte more
  // than the limit, so that parse_archive_line() refuses it. An error ends the reading.
  using TakeLine = std::function<Result<void>(std::string_view line)>;

  // `bytes` must outlive the reader. kCorruption if a frame is damaged, or if the file is empty: an archive
  // of nothing has one frame.
  static Result<ArchiveReader> open(std::string_view bytes);

  // Returns whether the last frame is not whole: a crash tore it, or the file was cut. The reader ignores
  // that frame.
  bool torn() const { return torn_; }
  // Calls `take` for each line. Returns the first error of `take`.
  Result<void> for_each_line(const TakeLine& take) const;

 private:
  explicit ArchiveReader(std::string_view bytes);

  std::string_view whole_;
  bool compressed_;
  bool torn_ = false;
};

// Appends to one file for each queue: DIRECTORY/QUEUE-YYYYMMDDTHHMMSSZ.jsonl.zst, a new one after kFileBytes,
// after a pause of kPause, and when the file is not there any more. So files that are older than the pause
// can be moved away. Not thread-safe.
class ArchiveWriter {
 public:
  static constexpr std::size_t kFileBytes = std::size_t{64} << 20;
  static constexpr Duration kPause = std::chrono::hours(1);

  // A relative directory is resolved now, so that the process may change its own directory later.
  explicit ArchiveWriter(const std::filesystem::path& directory);
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;
  ~ArchiveWriter();

  // Appends the lines as one frame, which is on disk when the call returns. kStorageFailed, also if the file
  // was moved or deleted meanwhile; kDiskFull. After an error a part of the frame may be there, behind what
  // was there before.
  Result<void> append(const std::string& queue, const std::vector<std::string>& lines, Timestamp time);

 private:
  struct File {
    int descriptor = -1;
    std::filesystem::path path;
    std::size_t bytes = 0;  // the size of its whole frames
    Timestamp last_used{};
  };
  // Returns whether the open file still has its name.
  static bool is_there(const File& file);
  Result<File*> file_for(const std::string& queue, Timestamp time);
  void close(File& file);
  // Ends the writing to a file. A file without a whole frame is deleted, or each further try would leave
  // another such file.
  void abandon(File& file);
  void close_oldest();

  const std::filesystem::path directory_;
  std::map<std::string, File> files_;
};

}  // namespace holdfast
