// Machine is a machine with a slow disk that forgets what was not synced when its power goes.
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

// May be used by any threads. The seed chooses how long each step of a commit is held up: until so many more
// calls have started, or until its thread has given up its turn so often, whichever comes first. Nothing
// waits for time.
class Machine {
 public:
  explicit Machine(std::uint64_t seed);

  // Opens the store, of which there may be one at a time. What a commit writes can be read at once, and is on
  // disk only if it was synced. A commit that is to be synced can be read once it is synced.
  std::unique_ptr<Store> power_on();
  // Holds commits up from here on, until the power goes. By now there are others to wait for.
  void slow_down() { slow_ = true; }
  // From here on nothing reaches the disk, and no commit is held up.
  void cut_power();
  bool is_on() const { return on_; }
  // Takes the last of the unsynced commits, and the seed says how many. Requires that no store is open.
  // Returns false if everything was synced.
  bool forget();

  // Whoever calls the engine calls this too: a commit that is held up may be waiting for this call.
  void call_begins() { calls_.fetch_add(1, std::memory_order_relaxed); }
  // Returns whether a row with this mark has been written with this durability since the power came on.
  bool has(const Mark& mark, Durability durability) const;

 private:
  friend class SlowStore;

  void hold_up();
  // `written` says whether the power was on when the commit was written.
  CommitResult commit(bool written, const std::function<CommitResult(Durability)>& commit,
                      const std::vector<Mark>& marks, Durability durability);
  // Must be called with the lock held.
  void note(const std::vector<Mark>& marks, Durability durability);

  std::shared_ptr<MemoryDisk> disk_;
  std::atomic<bool> on_ = false;
  std::atomic<bool> slow_ = false;
  std::atomic<std::uint64_t> calls_ = 0;
  mutable std::mutex mutex_;  // a commit is written before the power goes, or not at all
  Random random_;
  std::set<Mark> written_;
  std::set<Mark> synced_;
  std::vector<Mark> unsynced_;
};

}  // namespace holdfast::testing
