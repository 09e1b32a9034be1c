// A machine with a slow disk that forgets what was not synced when its power goes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "engine/storage/memory/memory_disk.h"
#include "engine/storage/store.h"
#include "holdfast/message.h"
#include "tests/power/marks.h"
#include "tests/support/random.h"

namespace holdfast::testing {

// For any threads. The seed chooses how long each step of a commit is held up: until so many more calls have
// begun, or its turn to run has been given up so often, whichever comes first. Nothing waits for time.
class Machine {
 public:
  explicit Machine(std::uint64_t seed);

  // One at a time. What it takes in a commit at a time is at once there for those who read, and on disk only
  // if it was synced; a commit that is to be synced can be read once it is.
  std::unique_ptr<Store> power_on();
  // Until the power goes commits are held up: from when on there are others to wait for.
  void slow_down() { slow_ = true; }
  // Nothing reaches the disk any more, and no commit is held up.
  void cut_power();
  bool is_on() const { return on_; }
  // No store is open: of what was not synced the last commits go, the seed says how many. False if all was
  // synced.
  bool forget();

  // Of one who calls the engine: a commit that is held up may be waiting for it.
  void call_begins() { calls_.fetch_add(1, std::memory_order_relaxed); }
  // Whether a row with this mark has been written since the power came on, as durably as that.
  bool has(const Mark& mark, Durability durability) const;

 private:
  friend class SlowStore;

  void hold_up();
  // `written`: the power was on when it was.
  CommitResult commit(bool written, const std::function<CommitResult(Durability)>& commit,
                      const std::vector<Mark>& marks, Durability durability);
  // Under the lock.
  void note(const std::vector<Mark>& marks, Durability durability);

  std::shared_ptr<MemoryDisk> disk_;
  std::atomic<bool> on_ = false;
  std::atomic<bool> slow_ = false;
  std::atomic<std::uint64_t> calls_ = 0;
  mutable std::mutex mutex_;  // so that a commit is written before the power goes, or not at all
  Random random_;
  std::set<Mark> written_;
  std::set<Mark> synced_;
  std::vector<Mark> unsynced_;
};

}  // namespace holdfast::testing
