// What commits together: the changes of the calls that met in one group, those who wait for it, and how it
// ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/codec/rows/chunk.h"
#include "engine/storage/store.h"
#include "engine/sync/atomic.h"

namespace holdfast {

// The place of a group in the order of commits since the engine was opened. Of two groups the lower one is
// committed first, so "all up to this one are committed" is one number.
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
  // Adds its rows that belong to other contributors. Called of each before contribute() is of any, so that a
  // row which its owner removes with the same group is put before that, and stays removed.
  virtual Result<void> contribute_early(GroupWrites& writes) = 0;

 protected:
  // The last group it joined.
  GroupNumber joined_group() const { return joined_; }

 private:
  friend class CommitPipeline;
  GroupNumber joined_{};  // under its own lock
};

// A group owns all that belongs to it, from the first call that joins it to the last callback. It is open,
// then closed by its leader, then ended: closing and ending take it whole, so what is found in it is always
// its own.
//
//   open    calls join it, holding a Pass and the pipeline's lock
//   closed  its changes are its leader's alone; callbacks and followers may still come, under the lock
//   ended   `ended` is set, and its callbacks have been handed over to be called
struct CommitGroup {
  struct Row {
    Family family;
    std::string key;
    std::optional<std::string> value;
    std::optional<std::string> range_end = {};  // the rows from `key` up to here are to be removed
  };
  // Called once, after the group has ended: with nothing if it is committed.
  using Done = std::function<void(const Result<void>& outcome)>;
  struct Callback {
    GroupNumber group;  // that it waits for, so that a check can tell when it is called for another
    Done done;
  };

  explicit CommitGroup(GroupNumber place) : number(place) {}

  const GroupNumber number;
  std::vector<std::shared_ptr<Contributor>> contributors;
  std::vector<Row> rows;
  Durability durability = Durability::kBuffered;  // the most that any of its calls asked for
  bool joined = false;                            // anything is to be committed
  std::atomic<std::uint64_t> calls = 0;           // how many joined, for statistics
  std::vector<Callback> callbacks;
  bool ended = false;

  // Changes when the group's followers must look again: it has ended, or needs a leader. They sleep on it
  // without the pipeline's lock, which a crowd that wakes would otherwise queue for.
  sync::Atomic<std::uint32_t> news = 0;
};

}  // namespace holdfast
