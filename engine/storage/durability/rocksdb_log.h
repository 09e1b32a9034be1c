// Reading RocksDB's write-ahead logs without RocksDB: what they end with, and what is left of damaged ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

inline constexpr std::size_t kLogBlock = 32 << 10;

// A write is a change to one key; a commit's follow each other.
struct LoggedCommit {
  std::uint64_t first = 0;  // the sequence number of its first write
  std::uint64_t last = 0;   // that of its last one
  std::string_view batch;   // as rocksdb::WriteBatch takes it
};

// A part of a log that holds no whole commit.
struct LogGap {
  std::size_t begin = 0;
  std::size_t end = 0;
  // Whether it looks like what a power loss leaves of pages that were never written: a sector of zeros, or
  // the end of the file.
  bool unwritten = false;
};

// Visits the records that are whole, in order, of a log or a manifest, which is made alike. `bytes` begin
// where a block of it does; what belongs to a record that began before is passed over.
std::vector<LogGap> read_records(std::string_view bytes,
                                 const std::function<void(std::string_view record)>& visit);

// Visits the commits in the records of a log, but for those without a write.
std::vector<LogGap> read_log(std::string_view bytes, const std::function<void(const LoggedCommit&)>& visit);

// The logs of a directory, by their numbers.
std::vector<std::filesystem::path> logs_in(const std::filesystem::path& directory);

// The sequence number of the last write in the last log that has a commit and no damage before it near its
// end; 0 if there is no such log. Reads no more than the end of it.
std::uint64_t last_logged(const std::filesystem::path& directory);

// The number in "000012.log", "000012.sst" or "MANIFEST-000012"; 0 if there is none.
std::uint64_t file_number(const std::filesystem::path& file);

// The bytes of [begin, end) of a file, or as far as it goes. What cannot be read is zeros.
std::string read_bytes(const std::filesystem::path& file, std::uint64_t begin = 0,
                       std::uint64_t end = UINT64_MAX);

}  // namespace holdfast
