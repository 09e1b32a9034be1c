// The disk under a memory store: it outlives the store, loses unsynced commits and fails on demand.
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

// What happens follows from the seed and the calls alone. Thread-safe.
//
// Dropping a store without close() is the death of its process: the next one sees every commit. Dropping it
// and calling crash() is the death of the machine.
class MemoryDisk {
 public:
  explicit MemoryDisk(std::uint64_t seed) : random_(seed) {}

  // Loses some of the commits that were not synced: the seed chooses how many, the last ones go. No store may
  // be open.
  void crash();

  // The `nth` commit from now on (1: the next one) ends in `outcome`, which is not kCommitted. After kUnknown
  // the seed chooses whether the next store finds it.
  void fail_commit(std::uint64_t nth, CommitOutcome outcome);

  // The `nth` get or scan from now on (1: the next one) fails with `code`: kCorruption or kStorageFailed. A
  // scan fails after as many keys as the seed chooses.
  void fail_read(std::uint64_t nth, ErrorCode code);

  // Commits that would grow the keys and values beyond `bytes` fail. nullopt, the default: no limit.
  void set_capacity(std::optional<std::size_t> bytes);

  // How many commits a crash() may lose.
  std::size_t unsynced_commits() const;

 private:
  friend class MemoryStore;

  // For the one open store.
  Result<MemoryImage> attach();
  void detach();
  // Takes `commit` in, unless it is to fail. `image` is what the store holds without it.
  CommitResult write(const MemoryCommit& commit, Durability durability, const MemoryImage& image);
  void sync();
  void create_family(Family family);
  void drop_family(Family family);
  // What is left beside `used` bytes.
  std::uint64_t free_space(std::size_t used) const;
  // The error that the read now starting is to end in.
  std::optional<ErrorCode> next_read_fault();
  // A number below `bound`.
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
  // By number of the commit.
  std::map<std::uint64_t, CommitOutcome> commit_faults_ HOLDFAST_GUARDED_BY(mutex_);
  std::map<std::uint64_t, ErrorCode> read_faults_ HOLDFAST_GUARDED_BY(mutex_);  // by number of the read
};

}  // namespace holdfast
