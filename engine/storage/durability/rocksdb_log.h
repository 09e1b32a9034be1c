// Reads RocksDB's write-ahead logs without RocksDB: what they end with, and what is left of damaged ones.
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

// A device stores this many bytes as a whole or not at all.
inline constexpr std::size_t kSector = 512;

// A LoggedCommit is the record of one commit in a log. A write is a change to one key, and the writes of a
// commit have consecutive numbers.
struct LoggedCommit {
  std::uint64_t first = 0;  // the sequence number of its first write
  std::uint64_t last = 0;   // the sequence number of its last write
  std::string_view batch;   // the record in the form that rocksdb::WriteBatch takes
};

// A LogGap is a part of a log that holds no whole commit.
struct LogGap {
  std::size_t begin = 0;
  std::size_t end = 0;
  // `unwritten` is true if the gap looks like what a power loss leaves of pages that were never written: it
  // has a sector of zeros, or reaches to the end of the file.
  bool unwritten = false;
};

// Visits the whole records of a log or of a manifest, which has the same form, in their order. `bytes` must
// begin where a block of the file begins; the rest of a record that began earlier is skipped. Returns the
// parts that hold no whole record.
std::vector<LogGap> read_records(std::string_view bytes,
                                 const std::function<void(std::string_view record)>& visit);

// Visits the commits in the records of a log, except those without a write. Returns the gaps that
// read_records() finds.
std::vector<LogGap> read_log(std::string_view bytes, const std::function<void(const LoggedCommit&)>& visit);

// Returns the logs of a directory in the order of their numbers.
std::vector<std::filesystem::path> logs_in(const std::filesystem::path& directory);

// Returns the sequence number of the last commit's last write. It comes from the last log that has a commit
// in the part that is read at its end, and no damage in that part with commits behind it. Returns 0 if there
// is no such log. Reads only the end of each log, as far back as it must to find a commit.
std::uint64_t last_logged(const std::filesystem::path& directory);

// Returns the number in "000012.log", "000012.sst" or "MANIFEST-000012"; 0 if there is none.
std::uint64_t file_number(const std::filesystem::path& file);

// Returns the bytes [begin, end) of a file, as far as the file goes. A piece that cannot be read is zeros; a
// file that cannot be opened is empty.
std::string read_bytes(const std::filesystem::path& file, std::uint64_t begin = 0,
                       std::uint64_t end = UINT64_MAX);

}  // namespace holdfast
