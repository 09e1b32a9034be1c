// A store in memory that lets others go first before and after it writes, and remembers what it wrote. So a
// test can have what the death of the process, or of the machine, would leave at any moment.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/storage/memory/memory_batch.h"
#include "engine/storage/memory/memory_store.h"
#include "engine/sync/interleaver.h"
#include "tests/support/switched_store.h"

namespace holdfast::testing {

class RememberingStore final : public SwitchedStore {
 public:
  // The memory outlives the store.
  struct Memory {
    std::vector<MemoryCommit> commits;
    std::size_t synced = 0;  // how many of the commits are on disk
    bool fails = false;      // the next commit fails, and all after it
  };

  RememberingStore(std::unique_ptr<Store> store, std::shared_ptr<Memory> memory)
      : SwitchedStore(std::move(store), power_on()), memory_(std::move(memory)) {}

  CommitResult commit(Batch& batch, Durability durability) override {
    sync::pause();
    CommitResult result{CommitOutcome::kFailed, "of a test"};
    if (!memory_->fails) {
      result = SwitchedStore::commit(batch, durability);
      memory_->commits.push_back(static_cast<MemoryBatch&>(batch).changes());
      if (durability == Durability::kFsync) memory_->synced = memory_->commits.size();
    }
    sync::pause();
    return result;
  }

 private:
  const std::shared_ptr<Memory> memory_;
};

// Makes a disk that contains these commits.
inline std::shared_ptr<MemoryDisk> disk_with(std::span<const MemoryCommit> commits) {
  auto disk = std::make_shared<MemoryDisk>(1);
  const auto store = *open_memory_store(disk);
  for (const MemoryCommit& commit : commits) {
    const auto batch = store->new_batch();
    for (const MemoryChange& change : commit) {
      switch (change.kind) {
        case MemoryChange::Kind::kPut:
          batch->put(change.family, change.key, change.value);
          break;
        case MemoryChange::Kind::kPutOnce:
          batch->put_once(change.family, change.key, change.value);
          break;
        case MemoryChange::Kind::kRemove:
          batch->remove(change.family, change.key);
          break;
        case MemoryChange::Kind::kRemoveOnce:
          batch->remove_once(change.family, change.key);
          break;
        case MemoryChange::Kind::kRemoveRange:
          batch->remove_range(change.family, change.key, change.value);
          break;
      }
    }
    (void)store->commit(*batch, Durability::kFsync);
  }
  return disk;
}

}  // namespace holdfast::testing
