// The store is the boundary under the core: ordered keys in families, one atomic batch for each commit, range
// scans. There are two implementations: RocksDB (rocksdb_store.h), and memory with injected faults
// (memory_store.h). tests/storage/store_conformance_test.cc holds each to this contract.
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
// The keys of these families begin with a queue.
inline constexpr Family kQueueFamilies[] = {
    Family::kMessages,      Family::kDeliveries, Family::kScheduled,
    Family::kDeadLetters,   Family::kHistory,    Family::kDeadLetterIndex,
    Family::kDeadLetterIds, Family::kDedup,      Family::kJournal};

// Returns the family that holds the records of dead letters: kDeadLetters for those in their queue, kHistory
// for those that left it. In one family, a redrive would remove records at one end and write them at the
// other, so each of its tables would span all records, and compactions would rewrite them again and again.
constexpr Family record_family(bool history) { return history ? Family::kHistory : Family::kDeadLetters; }

// The application's own families have the numbers from here on. They come and go while the store is open.
inline constexpr Family kFirstApplicationFamily{256};
constexpr bool is_application_family(Family family) { return family >= kFirstApplicationFamily; }
constexpr Family application_family(std::uint64_t number) {
  return Family{static_cast<std::uint64_t>(kFirstApplicationFamily) + number};
}

// Returns the column family's name on disk: "catalog", "messages", ..., "app-0".
std::string family_name(Family family);
// Returns the application's family of that name, if it is the name of one.
std::optional<Family> parse_application_family(std::string_view name);

// Changes that commit together. Changes to the same key apply in their order. A change may only name a family
// that stays until the batch is committed or cleared.
class Batch {
 public:
  virtual ~Batch() = default;
  virtual void put(Family family, std::string_view key, std::string_view value) = 0;
  virtual void remove(Family family, std::string_view key) = 0;
  // Puts a key that is put once in its life. The key must see no other put until remove_once(), after which a
  // new life may begin. If a range removes it, no new life may begin.
  virtual void put_once(Family family, std::string_view key, std::string_view value) = 0;
  // Removes a key that was put exactly once, by put_once() or put(). It is cheaper than remove(), since the
  // pair vanishes when RocksDB's SingleDelete meets the put.
  virtual void remove_once(Family family, std::string_view key) = 0;
  // Removes the keys in [begin, end). Removes none if begin >= end.
  virtual void remove_range(Family family, std::string_view begin, std::string_view end) = 0;
  virtual std::size_t byte_size() const = 0;
  virtual bool empty() const = 0;
  // Forgets the changes and keeps the memory.
  virtual void clear() = 0;
};

enum class CommitOutcome : std::uint8_t {
  kCommitted,
  kFailed,   // the batch is not there, and never will be
  kFenced,   // another owner has taken over; the batch is not there
  kUnknown,  // the batch is there as a whole or not at all; only opening again tells
};

struct CommitResult {
  CommitOutcome outcome = CommitOutcome::kCommitted;
  std::string message;  // says why the commit failed; empty if it succeeded
};

// Walks over keys in order. It sees the store as it was when the scan began.
class Scan {
 public:
  virtual ~Scan() = default;
  // Returns false at the end of the range and after an error; status() tells which.
  virtual bool valid() const = 0;
  virtual void next() = 0;
  // The views are valid until next().
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
  // Returns kCorruption or kStorageFailed if the walk ended early.
  virtual Result<void> status() const = 0;
};

// Reads rows. Thread-safe.
class Reader {
 public:
  virtual ~Reader() = default;

  // Returns the value of a key; nothing if the key or the family is missing. kCorruption, kStorageFailed.
  virtual Result<std::optional<std::string>> get(Family family, std::string_view key) const = 0;

  // Scans the keys in [begin, end) in ascending order. A missing family has none.
  virtual std::unique_ptr<Scan> scan(Family family, std::string_view begin, std::string_view end) const = 0;

  // Returns the application's families in ascending order.
  virtual std::vector<Family> application_families() const = 0;
};

// A Store has rows. Reads are thread-safe, also during a commit. Commits must come from one thread at a time.
class Store : public Reader {
 public:
  virtual std::unique_ptr<Batch> new_batch() = 0;

  // Commits the batch, which new_batch() of this store must have made, as a whole or not at all. With kFsync
  // the batch and everything that was committed before are on disk when the call returns. After any outcome
  // but kCommitted the store takes no more commits until it is opened again: they return kFailed (or kFenced
  // again). Reads go on without the failed commit.
  virtual CommitResult commit(Batch& batch, Durability durability) = 0;

  // Creates or drops a family of the application, durably and at once, whatever becomes of earlier commits. A
  // dropped family takes its rows along; scans of it go on. The calls may run during commits and reads, but
  // not at the same time as each other. kStorageFailed.
  virtual Result<void> create_family(Family family) = 0;
  virtual Result<void> drop_family(Family family) = 0;

  // Returns a view of all families as they are after the last commit; later commits do not change it. No
  // family may be created or dropped during the call. The view must be destroyed before close().
  virtual std::unique_ptr<Reader> snapshot() const = 0;

  // Scans the keys in [begin, end) in descending order. A missing family has none.
  virtual std::unique_ptr<Scan> scan_down(Family family, std::string_view begin,
                                          std::string_view end) const = 0;

  // Returns how many bytes more the device takes.
  virtual Result<std::uint64_t> free_space() const = 0;

  // Returns what the store costs and has to do, as far as the implementation knows.
  virtual StoreStatistics statistics() const = 0;
  // Returns about how many bytes the keys in [begin, end) take in tables on disk, including removed ones.
  virtual std::uint64_t approximate_bytes(Family family, std::string_view begin,
                                          std::string_view end) const = 0;
  // Rewrites the keys in [begin, end) without what was removed, so that its space returns. It may take long,
  // and ends early, without an error, once `*cancel` is true. It may run during commits and reads.
  virtual Result<void> compact(Family family, std::string_view begin, std::string_view end,
                               std::atomic<bool>* cancel = nullptr) = 0;

  // Adds a backup of everything committed to `directory`, as Engine::backup says. Creates the directory if it
  // is missing. It may run during commits. kDiskFull if less than `keep_free` bytes would be left on the
  // directory's device; kInvalidArgument if this kind of store has nothing to copy; kClosed, and no backup,
  // once `cancel` is true.
  virtual Result<BackupInfo> backup(const std::filesystem::path& directory, const BackupOptions& options,
                                    std::uint64_t keep_free, const std::atomic<bool>& cancel) = 0;

  // Makes everything committed durable and lets go of the directory. No scan may be alive, and only the
  // destructor may be called afterwards. kStorageFailed if that fails, or if a commit has failed.
  virtual Result<void> close() = 0;
};

}  // namespace holdfast
