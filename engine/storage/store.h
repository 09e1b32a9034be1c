// The seam under the core: ordered keys in families, one atomic batch per commit, range scans.
// Implementations: RocksDB (rocksdb_store.h), memory with injected faults (memory_store.h).
// tests/storage/store_conformance_test.cc holds each to this contract.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/message.h"
#include "holdfast/operations.h"

namespace holdfast {

// The column families; docs/on-disk-format.md gives their keys and values.
enum class Family : std::uint64_t {
  kCatalog,
  kMessages,
  kDeliveries,
  kScheduled,
  kDeadLetters,
  kHistory,
  kDeadLetterIndex,
  kDeadLetterIds,
  kDedup,
  kRedriveTasks,
  kJournal,
};
inline constexpr std::size_t kFamilyCount = 11;

// Where the records of dead letters are: of those that lie in their queue, and of those that left it. What a
// redrive removes and what it writes would else lie at both ends of one family, and each of its tables span
// all records: compactions would rewrite them again and again.
constexpr Family record_family(bool history) { return history ? Family::kHistory : Family::kDeadLetters; }

// The application's own families are numbered from here on; they come and go while the store is open.
inline constexpr Family kFirstApplicationFamily{256};
constexpr bool is_application_family(Family family) { return family >= kFirstApplicationFamily; }
constexpr Family application_family(std::uint64_t number) {
  return Family{static_cast<std::uint64_t>(kFirstApplicationFamily) + number};
}

// "catalog", "messages", ..., "app-0": the column family's name on disk.
std::string family_name(Family family);
// The application's family of that name, if it is one's.
std::optional<Family> parse_application_family(std::string_view name);

// Changes that commit together. The order of changes to one key counts. They may only name families that are
// there until the batch is committed or cleared.
class Batch {
 public:
  virtual ~Batch() = default;
  virtual void put(Family family, std::string_view key, std::string_view value) = 0;
  virtual void remove(Family family, std::string_view key) = 0;
  // A key that is put once in its life: it sees no other put until remove_once, after which a new life may
  // begin, or a removal by a range, after which none may.
  virtual void put_once(Family family, std::string_view key, std::string_view value) = 0;
  // Removes a key that was put exactly once, by put_once or put: cheaper (RocksDB: SingleDelete), since the
  // pair vanishes when it meets.
  virtual void remove_once(Family family, std::string_view key) = 0;
  // Removes the keys in [begin, end); none if begin >= end.
  virtual void remove_range(Family family, std::string_view begin, std::string_view end) = 0;
  virtual std::size_t byte_size() const = 0;
  virtual bool empty() const = 0;
  // Forgets the changes, keeps the memory.
  virtual void clear() = 0;
};

enum class CommitOutcome : std::uint8_t {
  kCommitted,
  kFailed,   // nothing of it is there, nor will be
  kFenced,   // another owner has taken over; nothing of it is there
  kUnknown,  // it may be there in whole or not at all: only reopening tells
};

struct CommitResult {
  CommitOutcome outcome = CommitOutcome::kCommitted;
  std::string message;  // why, unless committed
};

// Walks keys in order. Sees the store as it was when the scan began.
class Scan {
 public:
  virtual ~Scan() = default;
  // False at the end of the range and after an error: see status().
  virtual bool valid() const = 0;
  virtual void next() = 0;
  // Valid until next().
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
  // kCorruption or kStorageFailed if the walk ended early.
  virtual Result<void> status() const = 0;
};

// What can be read. Thread-safe.
class Reader {
 public:
  virtual ~Reader() = default;

  // kCorruption, kStorageFailed; a missing key, or family, is an empty optional.
  virtual Result<std::optional<std::string>> get(Family family, std::string_view key) const = 0;

  // The keys in [begin, end), ascending; none in a missing family.
  virtual std::unique_ptr<Scan> scan(Family family, std::string_view begin, std::string_view end) const = 0;

  // The application's families, ascending.
  virtual std::vector<Family> application_families() const = 0;
};

// Reads are thread-safe, also beside a commit; commits come from one thread at a time.
class Store : public Reader {
 public:
  virtual std::unique_ptr<Batch> new_batch() = 0;

  // All of the batch or nothing. kFsync: on disk, with everything committed before, when it returns. `batch`
  // comes from this store. After any outcome but kCommitted the store takes no more commits: they are kFailed
  // (or kFenced again) until the store is opened anew. Reads go on without the failed commit.
  virtual CommitResult commit(Batch& batch, Durability durability) = 0;

  // Creates or drops an application's family, durably and at once, whatever becomes of commits before it. A
  // dropped family takes its rows along; scans of it go on. Beside commits and reads, but not beside each
  // other. kStorageFailed.
  virtual Result<void> create_family(Family family) = 0;
  virtual Result<void> drop_family(Family family) = 0;

  // All families as they are after the last commit, whatever is committed later. Not beside the creation or
  // the dropping of one. Gone before close().
  virtual std::unique_ptr<Reader> snapshot() const = 0;

  // As scan(), descending.
  virtual std::unique_ptr<Scan> scan_down(Family family, std::string_view begin,
                                          std::string_view end) const = 0;

  // How much more the device takes, in bytes.
  virtual Result<std::uint64_t> free_space() const = 0;

  // What it costs and has to do, as far as the implementation knows.
  virtual StoreStatistics statistics() const = 0;
  // About how many bytes the keys in [begin, end) take in tables on disk, removed ones included.
  virtual std::uint64_t approximate_bytes(Family family, std::string_view begin,
                                          std::string_view end) const = 0;
  // Rewrites the keys in [begin, end) without what was removed, so that its space returns. May take long;
  // ends early, without an error, once `*cancel` is true. Beside commits and reads.
  virtual Result<void> compact(Family family, std::string_view begin, std::string_view end,
                               std::atomic<bool>* cancel = nullptr) = 0;

  // Adds a backup of everything committed to `directory`, creating it if it is missing, beside commits. See
  // Engine::backup. kDiskFull if less than `keep_free` bytes would be left on its device; kInvalidArgument if
  // this kind of store has nothing to copy; kClosed, and no backup, once `cancel` is true.
  virtual Result<BackupInfo> backup(const std::filesystem::path& directory, const BackupOptions& options,
                                    std::uint64_t keep_free, const std::atomic<bool>& cancel) = 0;

  // Makes everything committed durable and lets go of the directory; only the destructor may follow. No scan
  // may be alive. kStorageFailed if that did not work, or after a commit that failed.
  virtual Result<void> close() = 0;
};

}  // namespace holdfast
