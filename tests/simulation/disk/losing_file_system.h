// LosingFileSystem is a RocksDB file system that forgets what was not synced when the power is cut: bytes of
// files, whole files, renames and deletions (if the directory was not synced). It may also lose what a failed
// sync was to write, even if a later sync succeeds: Linux takes that for written.
#pragma once

#include <rocksdb/file_system.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/storage/faulty_file_system.h"
#include "tests/support/random.h"

namespace holdfast::simulation {

// The file system must outlive the stores on it.
class LosingFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  LosingFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  const char* Name() const override { return "LosingFileSystem"; }

  // From freeze() to thaw() nothing is written: the process that writes is dead.
  void freeze();
  void thaw();
  // Cuts the power. Some of what was not synced is there, some is not, and some files end in zeros.
  void lose(testing::Random& random);

  // Returns how much of a file of `size` bytes no power loss would take.
  std::uint64_t synced_of(const std::string& name, std::uint64_t size) const;

  // Losses counts what all power losses took.
  struct Losses {
    std::uint64_t bytes = 0;        // at the ends of files
    std::uint64_t torn_writes = 0;  // parts of what was not synced that are there
    std::uint64_t zeros = 0;        // lost ends of files that are as long as before, filled with zeros
    std::uint64_t given_up = 0;     // what failed syncs were to write, and is zeros
    std::uint64_t files = 0;
    std::uint64_t renames = 0;
    std::uint64_t deletions = 0;

    Losses& operator+=(const Losses& more);
    friend bool operator==(const Losses&, const Losses&) = default;
  };
  Losses losses() const;

  // Says which syncs of files fail.
  testing::FaultPlan& syncs() { return syncs_; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* result,
                                 rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override;

 private:
  friend class LosingFile;
  friend class LosingDirectory;

  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  struct Written {
    std::uint64_t size = 0;
    std::uint64_t synced = 0;
    std::vector<Range> given_up = {};  // by failed syncs; no later sync makes them durable
    bool in_directory = false;         // the directory was synced since it was created
  };
  struct Rename {
    std::string from;
    std::string to;
    std::optional<std::string> replaced;  // the file that was there before
  };

  struct Deletion {
    std::string name;
    std::string kept;  // the place where the file still is
  };

  rocksdb::IOStatus writable() const;
  std::string keep(const std::string& name);
  void note_append(const std::string& name, std::uint64_t bytes);
  void note_sync(const std::string& name);
  void note_failed_sync(const std::string& name);
  void note_directory_sync(const std::string& directory);
  void lose_bytes(const std::string& name, const Written& file, testing::Random& random);
  void undo(const Rename& rename);
  void undo(const Deletion& deletion);

  mutable std::mutex mutex_;
  bool frozen_ = false;
  std::map<std::string, Written> files_;
  // `renames_` and `deletions_` have the renames and deletions that are not synced yet.
  std::vector<Rename> renames_;
  std::vector<Deletion> deletions_;
  std::uint64_t kept_ = 0;
  Losses losses_;
  testing::FaultPlan syncs_;
};

}  // namespace holdfast::simulation
