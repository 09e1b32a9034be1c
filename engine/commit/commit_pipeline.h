// Group commit. Callers change state and join the open group; one of them, the leader, closes it, writes it
// with one Store::commit and tells the others. While it writes, the next group fills, so load makes groups
// larger by itself.
//
// Commit order equals apply order: a group is closed with nobody inside the gate, so it holds whole calls,
// and groups are written one after another. A change that spans queues is atomic because it is made under one
// Pass.
//
// Two groups are alive at most: the open one and the one that is being written. What has ended leaves only
// its callbacks, which the commit thread calls, one after another and in the order of the groups. No other
// thread calls them, so a blocking caller never does another's work, and no lock of a caller is held around
// one.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/commit/commit_group.h"
#include "engine/commit/gate.h"
#include "engine/storage/store.h"
#include "engine/sync/atomic.h"
#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"
#include "engine/sync/thread.h"
#include "holdfast/statistics.h"

namespace holdfast {

// Of the groups since the engine was opened; times in microseconds.
struct CommitStatistics {
  Histogram group_calls;
  Histogram group_bytes;
  Histogram buffered_commit;
  Histogram fsync_commit;
};

class CommitPipeline {
 public:
  explicit CommitPipeline(Store& store);
  // Call stop() first if anything was joined.
  ~CommitPipeline();
  CommitPipeline(const CommitPipeline&) = delete;
  CommitPipeline& operator=(const CommitPipeline&) = delete;

  // To be called once, before anything else. `tell` is called after the write that failed, on the thread that
  // did it, without a Pass; by then healthy() says so.
  void on_failure(std::function<void(const Error&)> tell) { tell_of_failure_ = std::move(tell); }

  // Starts the commit thread, which on_commit() needs. kOverloaded if no thread can be had.
  Result<void> start();

  // --- holding a Pass ---

  Gate& gate() HOLDFAST_RETURNS_LOCK(gate_) { return gate_; }
  // The contributor takes part in the open group. Its lock is held.
  GroupNumber join(const std::shared_ptr<Contributor>& contributor, Durability durability)
      HOLDFAST_REQUIRES_SHARED(gate_);
  // A row of no contributor (the catalog's, a task's) takes part in the open group; no value: remove it.
  GroupNumber join_row(Family family, std::string key, std::optional<std::string> value,
                       Durability durability) HOLDFAST_REQUIRES_SHARED(gate_);
  // The removal of the rows in [begin, end) takes part in the open group.
  GroupNumber join_removal(Family family, std::string begin, std::string end, Durability durability)
      HOLDFAST_REQUIRES_SHARED(gate_);
  // Nothing more takes part in the open group, but once it is committed all before it is as durable.
  GroupNumber join(Durability durability) HOLDFAST_REQUIRES_SHARED(gate_);
  // The group that is open now. Without a Pass it may be closed by the time that the caller looks.
  GroupNumber open_group() const { return GroupNumber{open_number_.load(std::memory_order_relaxed)}; }

  // --- without a Pass ---

  // Blocks until the group is committed, writing it itself if nobody else does. The error of a failed write.
  Result<void> wait(GroupNumber group);
  // Has the commit thread call `done` once the group has ended; never on this thread, also if it has ended
  // already. Between start() and stop().
  using Done = CommitGroup::Done;
  void on_commit(GroupNumber group, Done done);
  // What a committed group has become by now.
  Durability durability_of(GroupNumber group) const;
  bool committed(GroupNumber group) const;
  // This one and all before it are committed.
  GroupNumber last_committed() const { return GroupNumber{committed_.load(std::memory_order_acquire)}; }
  CommitStatistics statistics() const;
  // The error of a failed write: from then on the engine refuses work until it is reopened.
  Result<void> healthy() const;
  // Commits what is open, has the callbacks that are left called, commits what they joined and ends the
  // commit thread. Nobody else calls on_commit() from then on, but callbacks. Not to be called by a callback.
  Result<void> stop();

 private:
  // The callbacks of a group that has ended.
  struct Answers {
    GroupNumber group;  // that ended last when they were handed over
    Durability asked;   // by the calls that joined it
    std::vector<CommitGroup::Callback> callbacks;
    Result<void> outcome;
  };
  using Lock = sync::Lock;

  GroupNumber join(CommitGroup::Row row, Durability durability) HOLDFAST_REQUIRES_SHARED(gate_);
  GroupNumber join_locked(Durability durability) HOLDFAST_REQUIRES(mutex_);

  // Writes the open group and ends it, with the lock let go meanwhile. There is no leader and no write has
  // failed.
  void lead() HOLDFAST_REQUIRES(mutex_);
  // With nobody inside the gate, another group takes its place; its contributors add their changes.
  Result<void> close(CommitGroup& group);
  CommitResult write(const CommitGroup& group);
  void end(CommitGroup& group, const CommitResult& result) HOLDFAST_REQUIRES(mutex_);
  void hand_over(std::vector<CommitGroup::Callback> callbacks, Durability asked, Result<void> outcome)
      HOLDFAST_REQUIRES(mutex_);
  void note(const CommitGroup& group, std::uint64_t bytes, std::chrono::steady_clock::duration took)
      HOLDFAST_REQUIRES(mutex_);
  std::shared_ptr<CommitGroup> pending(GroupNumber group) const HOLDFAST_REQUIRES(mutex_);
  // Without the lock: wakes the followers of a group that has ended, and one of the open group's as its
  // leader.
  void tell_followers(CommitGroup& ended, CommitGroup& open);

  void run_commit_thread();
  bool must_lead() const HOLDFAST_REQUIRES(mutex_);
  bool commit_thread_is_wanted() const HOLDFAST_REQUIRES(mutex_);
  void call_back() HOLDFAST_REQUIRES(mutex_);
  // What must be so when an answer leaves.
  void check(const Answers& answers) const HOLDFAST_REQUIRES(mutex_);
  Result<void> commit_open();

  Store& store_;
  std::function<void(const Error&)> tell_of_failure_;
  Gate gate_;
  std::unique_ptr<Batch> batch_;                   // the leader's
  std::vector<GroupWrites::ChunkPut> chunk_puts_;  // the leader's

  mutable sync::Mutex mutex_;
  // Replaced only under the lock with nobody inside the gate, so it may be read with either.
  std::shared_ptr<CommitGroup> open_;
  // The group that has a leader: `open_` until it is closed. Null if nobody leads.
  std::shared_ptr<CommitGroup> writing_ HOLDFAST_GUARDED_BY(mutex_);
  std::deque<Answers> answers_ HOLDFAST_GUARDED_BY(mutex_);  // in the order of their groups
  GroupNumber answered_ HOLDFAST_GUARDED_BY(mutex_){};       // the group of the answers that were called last
  std::optional<Error> failure_ HOLDFAST_GUARDED_BY(mutex_);
  CommitStatistics statistics_ HOLDFAST_GUARDED_BY(mutex_);

  // What the lock guards, to be read without it. Of the numbers, each is that of the last group that it is so
  // of.
  sync::Atomic<std::uint64_t> open_number_ = 1;
  sync::Atomic<std::uint64_t> committed_ = 0;
  sync::Atomic<std::uint64_t> synced_ = 0;
  sync::Atomic<bool> failed_ = false;

  sync::ConditionVariable commit_thread_wake_;
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool commit_thread_ended_ HOLDFAST_GUARDED_BY(mutex_) = false;
  sync::Thread commit_thread_;
};

}  // namespace holdfast
