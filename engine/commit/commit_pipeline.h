// Group commit. Callers change state and join the open group; one of them, the leader, closes it, writes it
// with one Store::commit and tells the others. While it writes, the next group fills, so load makes groups
// larger by itself.
//
// Commit order equals apply order: a group is closed with nobody inside the gate, so it holds whole calls,
// and groups are written one after another. A change that spans queues is atomic because it is made under one
// Pass.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "codec/chunk.h"
#include "commit/gate.h"
#include "holdfast/statistics.h"
#include "storage/store.h"

namespace holdfast {

// Numbers the commit groups since the engine was opened.
enum class GroupNumber : std::uint64_t {};

// What a group commits.
struct GroupWrites {
  struct ChunkPut {
    Family family;
    std::string key;
    std::shared_ptr<const Chunk> chunk;
  };
  const Store& store;             // has all earlier groups
  Batch& rows;                    // small rows, written at once
  std::vector<ChunkPut>& chunks;  // bodies, copied after the gate is open again
};

// Something with changes to commit: a queue.
class Contributor {
 public:
  virtual ~Contributor() = default;
  // Adds all its changes since the last call. The gate is closed: nobody else is inside. An error fails the
  // group, and so stops the engine.
  virtual Result<void> contribute(GroupWrites& writes) = 0;
  // The same for rows that belong to other contributors. Called of each before contribute() is of any, so
  // that a row which its owner removes with the same group is put before that, and stays removed.
  virtual Result<void> contribute_early(GroupWrites& writes) = 0;

 protected:
  // The last group it joined.
  GroupNumber joined_group() const { return joined_; }

 private:
  friend class CommitPipeline;
  GroupNumber joined_{};  // under its own lock
};

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

  // --- holding a Pass ---

  Gate& gate() { return gate_; }
  // The contributor takes part in the open group. Its lock is held.
  GroupNumber join(const std::shared_ptr<Contributor>& contributor, Durability durability);
  // A row of no contributor (the catalog's, a task's) takes part in the open group; no value: remove it.
  GroupNumber join_row(Family family, std::string key, std::optional<std::string> value,
                       Durability durability);
  // The removal of the rows in [begin, end) takes part in the open group.
  GroupNumber join_removal(Family family, std::string begin, std::string end, Durability durability);
  // Nothing more takes part in the open group, but once it is committed all before it is as durable.
  GroupNumber join(Durability durability);
  // The group that is open now.
  GroupNumber open_group() const { return GroupNumber{open_number_.load(std::memory_order_relaxed)}; }

  // To be called once, before the rest: `tell` is called after the write that failed, on the thread that did
  // it, without a Pass. By then healthy() says so.
  void on_failure(std::function<void(const Error&)> tell) { tell_of_failure_ = std::move(tell); }

  // --- without a Pass ---

  // Blocks until the group is committed, writing it itself if nobody else does.
  Result<void> wait(GroupNumber group);
  // Calls `done` once the group is committed or failed: on the thread that wrote it or, if it is committed
  // already, at once on this one.
  using Done = std::function<void(const Result<void>&)>;
  void on_commit(GroupNumber group, Done done);
  // What a committed group has become by now.
  Durability durability_of(GroupNumber group) const;
  bool committed(GroupNumber group) const;
  // This one and all before it are committed.
  GroupNumber last_committed() const { return GroupNumber{committed_.load(std::memory_order_acquire)}; }
  CommitStatistics statistics() const;
  // The error of a failed write: from then on the engine refuses work until it is reopened.
  Result<void> healthy() const;
  // Commits what is open, runs the callbacks that are left and ends the commit thread.
  Result<void> stop();

 private:
  struct Row {
    Family family;
    std::string key;
    std::optional<std::string> value;
    std::optional<std::string> range_end = {};  // the rows from `key` up to here are to be removed
  };
  GroupNumber join(Row row, Durability durability);
  GroupNumber join_locked(Durability durability);
  struct Group {
    std::vector<std::shared_ptr<Contributor>> contributors;
    std::vector<Row> rows;
    Durability durability = Durability::kBuffered;
    std::uint64_t calls = 0;
    bool joined = false;
    Result<void> contributed = {};
  };

  // The caller is the leader: mutex_ is held by `lock`, leading_ set by this.
  void lead(std::unique_lock<std::mutex>& lock);
  // Without the lock: wakes the followers of a finished group, and one of the next group's as its leader.
  void tell_followers(std::uint64_t closed);
  Group close_group();
  CommitResult write(const Group& group);
  // Under the lock, after write().
  void note(const Group& group, std::uint64_t bytes, std::chrono::steady_clock::duration took);
  void run_commit_thread();
  bool open_group_has_callbacks() const;
  // Runs the callbacks of the group just written, or all after a failure; without the lock.
  void call_back(std::unique_lock<std::mutex>& lock);

  Store& store_;
  std::function<void(const Error&)> tell_of_failure_;
  Gate gate_;
  std::unique_ptr<Batch> batch_;                   // the leader's
  std::vector<GroupWrites::ChunkPut> chunk_puts_;  // the leader's

  mutable std::mutex mutex_;
  // Only two groups are alive, the one being written and the open one, so what belongs to a group is found by
  // its number's parity.
  std::array<std::vector<Done>, 2> callbacks_;
  // Changes when followers of a group must look again: when it is finished, or needs a leader. They sleep on
  // it without mutex_, which a crowd that wakes would otherwise queue for.
  std::array<std::atomic<std::uint32_t>, 2> news_{};
  std::condition_variable commit_thread_wake_;
  Group open_;
  std::atomic<std::uint64_t> open_number_ = 1;
  std::atomic<std::uint64_t> committed_ = 0;
  std::atomic<std::uint64_t> calls_ = 0;  // that joined the open group
  CommitStatistics statistics_;
  std::uint64_t synced_ = 0;  // groups up to this one are on disk
  bool leading_ = false;
  bool stopping_ = false;
  std::optional<Error> failure_;
  std::atomic<bool> failed_ = false;
  std::thread commit_thread_;  // started by the first callback
};

}  // namespace holdfast
