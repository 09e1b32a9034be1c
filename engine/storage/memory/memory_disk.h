// A MemoryDisk is the disk under a memory store. It outlives the store, loses commits that were not synced,
// and fails on demand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "engine/storage/memory/memory_image.h"
#include "engine/storage/store.h"
#include "engine/sync/leaf_mutex.h"
#include "holdfast/error.h"

namespace holdfast {

// What happens depends on the seed and the calls alone. Thread-safe.
//
// To drop a store without close() means that its process dies: the next store sees every commit. To drop it
// and then call crash() means that the machine dies.
class MemoryDisk {
 public:
  explicit MemoryDisk(std::uint64_t seed) : random_(seed) {}

  // Loses some of the last commits that were not synced; the seed chooses how many. Requires that no store is
  // open on the disk.
  void crash();

  // Makes the `nth` commit from now on (1 is the next one) end in `outcome`, which is not kCommitted. After
  // kUnknown the seed chooses whether the next store finds the commit.
  void fail_commit(std::uint64_t nth, CommitOutcome outcome);

  // Makes the `nth` get or scan from now on (1 is the next one) fail with `code`, which is kCorruption or
  // kStorageFailed. A scan fails after a number of keys that the seed chooses.
  void fail_read(std::uint64_t nth, ErrorCode code);

  // Makes commits fail that would grow the keys and values beyond `bytes`. There is no limit with nullopt,
  // the default.
  void set_capacity(std::optional<std::size_t> bytes);

  // Returns how many commits a crash() may lose.
  std::size_t unsynced_commits() const;

 private:
  friend class MemoryStore;

  // What is private is for the one store that is open on the disk. attach() returns every commit that the
  // disk still holds; kLocked if a store is open.
  Result<MemoryImage> attach();
  void detach();
  // Adds `commit`, unless it is to fail. `image` is what the store holds without it.
  CommitResult write(const MemoryCommit& commit, Durability durability, const MemoryImage& image);
  void sync();
  void create_family(Family family);
  void drop_family(Family family);
  // Returns how many bytes are left beside `used`; the largest number if there is no limit.
  std::uint64_t free_space(std::size_t used) const;
  // Counts a read, and returns the error that it must end in, if any.
  std::optional<ErrorCode> next_read_fault();
  // Returns a random number below `bound`.
  std::uint64_t random_below(std::uint64_t bound);

  void write_back(std::size_t count) HOLDFAST_REQUIRES(mutex_);

  mutable sync::LeafMutex mutex_;
  std::mt19937_64 random_ HOLDFAST_GUARDED_BY(mutex_);
  bool attached_ HOLDFAST_GUARDED_BY(mutex_) = false;
  MemoryImage durable_ HOLDFAST_GUARDED_BY(mutex_);
  std::vector<MemoryCommit> unsynced_ HOLDFAST_GUARDED_BY(mutex_);
  std::optional<std::size_t> capacity_ HOLDFAST_GUARDED_BY(mutex_);
  std::uint64_t commits_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  std::uint64_t reads_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  // The key is the number of the commit.
  std::map<std::uint64_t, CommitOutcome> commit_faults_ HOLDFAST_GUARDED_BY(mutex_);
  std::map<std::uint64_t, ErrorCode> read_faults_ HOLDFAST_GUARDED_BY(mutex_);  // by number of the read
};

}  // namespace holdfast
