// Calls commit in groups. Callers change state and join the open group. One of them, the leader, closes the
// group, writes it with one Store::commit and tells the others. The next group fills meanwhile, so groups
// grow with the load by themselves.
//
// The order of commits is the order in which changes were applied. A group closes while nobody is inside the
// gate, so it holds whole calls, and groups are written one after another. A change that spans queues is
// atomic because it is made inside one Pass.
//
// At most two groups are alive: the open one and the one that is being written. A group that has ended leaves
// only its callbacks. The commit thread calls them one after another, in the order of the groups. No other
// thread calls them, so a caller that blocks never does another caller's work, and no lock of a caller is
// held around a callback.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
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

// Statistics of the groups since the engine was opened. Times are in microseconds.
struct CommitStatistics {
  Histogram group_calls;
  Histogram group_bytes;
  Histogram buffered_commit;
  Histogram fsync_commit;
};

class CommitPipeline {
 public:
  explicit CommitPipeline(Store& store);
  // stop() must be called first if anything was joined.
  ~CommitPipeline();
  CommitPipeline(const CommitPipeline&) = delete;
  CommitPipeline& operator=(const CommitPipeline&) = delete;

  // Sets what is called after a write failed. It is called on the thread that did the write, outside any
  // Pass, and healthy() returns the error by then. on_failure() is called once, before anything else.
  void on_failure(std::function<void(const Error&)> tell) { tell_of_failure_ = std::move(tell); }

  // Starts the commit thread, which on_commit() needs. kOverloaded if the system gives no thread.
  Result<void> start();

  // --- inside a Pass ---

  Gate& gate() HOLDFAST_RETURNS_LOCK(gate_) { return gate_; }
  // Makes the contributor take part in the open group, whose number it returns. The caller holds the
  // contributor's lock, which is checked.
  GroupNumber join(const std::shared_ptr<Contributor>& contributor, Durability durability)
      HOLDFAST_REQUIRES_SHARED(gate_) HOLDFAST_EXCLUDES(mutex_);
  // Puts a row that belongs to no contributor (of the catalog, or of a task) with the open group, or removes
  // it if there is no value. Returns the group's number.
  GroupNumber join_row(Family family, std::string key, std::optional<std::string> value,
                       Durability durability) HOLDFAST_REQUIRES_SHARED(gate_) HOLDFAST_EXCLUDES(mutex_);
  // Removes the rows in [begin, end) with the open group. Returns the group's number.
  GroupNumber join_removal(Family family, std::string begin, std::string end, Durability durability)
      HOLDFAST_REQUIRES_SHARED(gate_) HOLDFAST_EXCLUDES(mutex_);
  // Adds nothing to the open group. Once the group is committed, all groups before it are as durable as
  // `durability` says. Returns the group's number.
  GroupNumber join(Durability durability) HOLDFAST_REQUIRES_SHARED(gate_) HOLDFAST_EXCLUDES(mutex_);
  // Returns the number of the group that is open now. Outside a Pass, the group may be closed by the time
  // that the caller looks at the number.
  GroupNumber open_group() const { return GroupNumber{open_number_.load(std::memory_order_relaxed)}; }

  // --- outside a Pass ---

  // Blocks until the group is committed. The caller writes it if nobody else does. Returns the error of a
  // failed write.
  Result<void> wait(GroupNumber group) HOLDFAST_EXCLUDES(inside_gate, mutex_);
  // Has the commit thread call `done` once the group has ended. `done` is never called on the caller's
  // thread, even if the group has ended already. on_commit() may be called between start() and stop().
  using Done = CommitGroup::Done;
  void on_commit(GroupNumber group, Done done) HOLDFAST_EXCLUDES(mutex_);
  // Returns how durable a committed group has become by now.
  Durability durability_of(GroupNumber group) const;
  bool committed(GroupNumber group) const;
  // Returns the last group that is committed; all groups before it are committed too.
  GroupNumber last_committed() const { return GroupNumber{committed_.load(std::memory_order_acquire)}; }
  CommitStatistics statistics() const HOLDFAST_EXCLUDES(mutex_);
  // Returns the error of a failed write. After such an error the engine refuses work until it is reopened.
  Result<void> healthy() const HOLDFAST_EXCLUDES(mutex_);
  // Commits what is open, has the remaining callbacks called, commits what these joined, and ends the commit
  // thread. Once stop() is called, only callbacks may call on_commit(). A callback must not call stop().
  Result<void> stop() HOLDFAST_EXCLUDES(inside_gate, mutex_);

 private:
  // `Answers` has the callbacks of a group that has ended.
  struct Answers {
    GroupNumber group;  // the group that had ended last when they were handed over
    Durability asked;   // by the calls that joined the group
    std::vector<CommitGroup::Callback> callbacks;
    Result<void> outcome;
  };
  using Lock = sync::Lock;

  GroupNumber join(CommitGroup::Row row, Durability durability) HOLDFAST_REQUIRES_SHARED(gate_)
      HOLDFAST_EXCLUDES(mutex_);
  GroupNumber join_locked(Durability durability) HOLDFAST_REQUIRES(mutex_);
  // Returns the open group to a caller that does not hold the lock. It is replaced only while nobody is
  // inside the gate, so a Pass is enough to read which group is open.
  CommitGroup& group_to_join() HOLDFAST_REQUIRES_SHARED(gate_);

  // Makes the caller the leader of the open group, which it returns. There must be no leader, and no write
  // may have failed.
  std::shared_ptr<CommitGroup> claim_open_group() HOLDFAST_REQUIRES(mutex_);
  // Writes the group that the caller claimed, and ends it. The leader does not take the lock again after it
  // has woken the others, who all want it.
  void lead(CommitGroup& group) HOLDFAST_EXCLUDES(inside_gate, mutex_);
  // Waits until nobody is inside the gate, puts a new group in the place of this one, and collects the
  // changes of its contributors.
  Result<void> close(CommitGroup& group) HOLDFAST_EXCLUDES(inside_gate, mutex_);
  CommitResult write(const CommitGroup& group) HOLDFAST_EXCLUDES(inside_gate, mutex_);
  void end(CommitGroup& group, const CommitResult& result) HOLDFAST_REQUIRES(mutex_);
  void hand_over(std::vector<CommitGroup::Callback> callbacks, Durability asked, Result<void> outcome)
      HOLDFAST_REQUIRES(mutex_);
  void note(const CommitGroup& group, std::uint64_t bytes, std::chrono::steady_clock::duration took)
      HOLDFAST_REQUIRES(mutex_);
  std::shared_ptr<CommitGroup> pending(GroupNumber group) const HOLDFAST_REQUIRES(mutex_);
  // Wakes the followers of a group that has ended, and one follower of the open group, which becomes its
  // leader.
  void tell_followers(CommitGroup& ended, CommitGroup& open) HOLDFAST_EXCLUDES(mutex_);

  void run_commit_thread() HOLDFAST_EXCLUDES(mutex_);
  bool must_lead() const HOLDFAST_REQUIRES(mutex_);
  bool commit_thread_is_wanted() const HOLDFAST_REQUIRES(mutex_);
  void call_back() HOLDFAST_REQUIRES(mutex_);
  // Checks what must hold when answers leave.
  void check(const Answers& answers) const HOLDFAST_REQUIRES(mutex_);
  Result<void> commit_open() HOLDFAST_EXCLUDES(inside_gate, mutex_);

  Store& store_;
  std::function<void(const Error&)> tell_of_failure_;
  Gate gate_;
  std::unique_ptr<Batch> batch_;                   // used by the leader only
  std::vector<GroupWrites::ChunkPut> chunk_puts_;  // used by the leader only

  mutable sync::Mutex mutex_;
  std::shared_ptr<CommitGroup> open_ HOLDFAST_GUARDED_BY(mutex_);  // close() replaces it
  // `writing_` is the group that has a leader: `open_` until that is closed. It is null if nobody leads.
  std::shared_ptr<CommitGroup> writing_ HOLDFAST_GUARDED_BY(mutex_);
  std::deque<Answers> answers_ HOLDFAST_GUARDED_BY(mutex_);  // in the order of their groups
  GroupNumber answered_ HOLDFAST_GUARDED_BY(mutex_){};       // the group whose answers were called last
  std::optional<Error> failure_ HOLDFAST_GUARDED_BY(mutex_);
  CommitStatistics statistics_ HOLDFAST_GUARDED_BY(mutex_);

  // Copies of what the lock guards, to be read without it. Each number is that of the last group that is
  // open, committed or synced.
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
