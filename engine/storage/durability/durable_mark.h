// The mark is a note beside the database that says what the database is known to hold.
//
// RocksDB cannot tell a log that was deleted, emptied or cut from one into which nothing more was written:
// its records end, and recovery goes on. The mark tells the two apart. It is not there for power losses, and
// costs no fsync:
//
//   1. a commit's fsync returns;
//   2. its sequence number is stored in the mark, in the page cache;
//   3. the commit is answered.
//
// A process that is killed leaves the page cache as it is: every commit that was answered as fsynced is in
// the mark. A power loss may take the mark back to an earlier state, or leave a broken one. But what the mark
// says was durable before the mark was stored, so no power loss makes it say more than the directory holds.
// The mark is the length of a sector, so the disk stores it as a whole or not at all.
//
// The mark also says which write each log begins with. Recovery passes in silence over a log that is gone,
// and over a part of a log that is zeros, if it knows no write that came before. A log begins with the same
// write as long as it is there, so the mark stays true whatever RocksDB does after it was stored:
//
// 1. The manifest may have moved on, and name a later log as the first one that is needed. If the mark knows
//    that log, or one after it, the logs must begin there. If it knows neither, then everything that it knows
//    was in earlier logs, and the manifest says that their contents are in tables.
// 2. RocksDB deletes a log after it has synced a manifest that does not need the log, and the mark forgets
//    the log after that. A manifest that needs a forgotten log is therefore older than one that was synced,
//    and no crash leaves such a manifest.
// 3. A mark that a power loss took back tells of logs that were there then. It is behind the manifest, so
//    point 1 applies.
// 4. A power loss may take a log's name back, and RocksDB may give its number to a new log. Nothing in the
//    lost log had been fsynced then. And before anything is written to the new log, opening makes a mark
//    durable that does not know it.
//
// The name of the mark sorts before those of RocksDB's files. A program that copies an open directory in the
// order of names therefore has the mark before the logs, and no commit in the mark that is not in the copied
// log. A backup has no mark; a directory without one gets it when it is opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace holdfast {

// A write-ahead log, and the number of the first write in it.
struct LogBegin {
  std::uint64_t log = 0;
  std::uint64_t first = 0;

  friend bool operator==(const LogBegin&, const LogBegin&) = default;
};

struct DurableState {
  std::uint64_t sequence = 0;        // the number of the last write that was fsynced
  std::uint64_t manifest = 0;        // the number of the manifest that was in use
  std::uint64_t manifest_bytes = 0;  // how much of that manifest was fsynced
  // `logs` has the logs that have a write, in the order of their numbers. Logs that RocksDB has deleted may
  // be left out. The list is empty if nothing is known. If there are more logs than the mark has room for, it
  // has the first ones and the last one.
  std::vector<LogBegin> logs;

  friend bool operator==(const DurableState&, const DurableState&) = default;
};

inline constexpr const char* kMarkName = "000000.mark";

// Reads the mark of a directory. Returns nothing if there is no mark, or if it is damaged or torn.
std::optional<DurableState> read_mark(const std::filesystem::path& directory);

// Writes the mark of an open directory. A mark that cannot be written is left out without an error: an older
// mark is true as well.
class DurableMark {
 public:
  DurableMark() = default;  // belongs to no directory and writes nothing
  // Creates the file if it is missing, with access for its owner alone.
  explicit DurableMark(const std::filesystem::path& directory);
  DurableMark(DurableMark&& other) noexcept;
  DurableMark& operator=(DurableMark&&) = delete;
  ~DurableMark();

  void write(const DurableState& state) const;
  // Makes the file and the mark that was written last durable.
  void sync() const;

 private:
  std::filesystem::path directory_;
  int file_ = -1;
};

}  // namespace holdfast
