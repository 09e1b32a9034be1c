// Files of dead letters: JSON lines (codec/dead_letters/archive_line.h) in frames of zstd, so that `zstdcat`
// shows them.
#pragma once

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

// As files' names have it: "20260301T093000Z".
std::string file_time(Timestamp time);

// Lines compressed into one frame.
Result<std::string> compress_lines(const std::vector<std::string>& lines);

// Hands out the lines of a file, which is in frames or plain, and holds one of them at a time.
class ArchiveReader {
 public:
  // Without its end. Of a line of more than limits::kArchiveLineBytes there is one byte more than those, so
  // that parse_archive_line() refuses it. An error ends the reading.
  using TakeLine = std::function<Result<void>(std::string_view line)>;

  // `bytes` must outlive it. kCorruption if a frame is damaged, or there is not even the one that an archive
  // of nothing has.
  static Result<ArchiveReader> open(std::string_view bytes);

  // The last frame is not whole: of a crash, or the file was cut. It counts for nothing.
  bool torn() const { return torn_; }
  // Gives the error of `take`.
  Result<void> for_each_line(const TakeLine& take) const;

 private:
  explicit ArchiveReader(std::string_view bytes);

  std::string_view whole_;
  bool compressed_;
  bool torn_ = false;
};

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

  // On disk when it returns. kStorageFailed, kDiskFull; then some of it may be there, behind what was before.
  Result<void> append(const std::string& queue, const std::vector<std::string>& lines, Timestamp time);

 private:
  struct File {
    int descriptor = -1;
    std::filesystem::path path;
    std::size_t bytes = 0;  // of whole frames
    Timestamp last_used{};
  };
  Result<File*> file_for(const std::string& queue, Timestamp time);
  void close(File& file);
  // Nothing more is written to it. Without a whole frame it goes: each try would leave another one.
  void abandon(File& file);
  void close_oldest();

  const std::filesystem::path directory_;
  std::map<std::string, File> files_;
};

}  // namespace holdfast
