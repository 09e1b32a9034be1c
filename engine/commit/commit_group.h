// A commit group has what commits together: the changes of the calls that met in it, the callers that wait
// for it, and how it ended.
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
#include "engine/sync/mutex.h"

namespace holdfast {

// The place of a group in the order of commits since the engine was opened. Of two groups the one with the
// lower number is committed first, so a single number says that all groups up to it are committed.
enum class GroupNumber : std::uint64_t {};

// A group commits these writes.
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

// A contributor has changes to commit. A queue is one.
class Contributor {
 public:
  // `lock` is the contributor's own lock. It may be a member of the derived class.
  explicit Contributor(const sync::Mutex& lock) : lock_(lock) {}
  virtual ~Contributor() = default;
  // Adds all changes since the last call to the group that closes. The gate is closed, and nobody else is
  // inside. An error fails the group, and so stops the engine.
  virtual Result<void> contribute(GroupWrites& writes) = 0;
  // Adds the rows that belong to other contributors. The pipeline calls contribute_early() of every
  // contributor before contribute() of any. So if the owner of a row removes it with the same group, the row
  // is put before that, and stays removed.
  virtual Result<void> contribute_early(GroupWrites& writes) = 0;

 protected:
  // Returns the last group that the contributor joined. The contributor's own lock guards it. A derived class
  // that shows the group says which of its locks that is.
  GroupNumber last_joined() const HOLDFAST_NOT_ANALYSED { return joined_; }

 private:
  friend class CommitPipeline;
  const sync::Mutex& lock_;
  GroupNumber joined_ HOLDFAST_GUARDED_BY(lock_){};
};

// A commit group owns all that belongs to it, from the first call that joins it to the last callback.
// Its leader closes and ends it as a whole, so what is found in it always belongs to it.
//
//   open    calls join it, inside a Pass and under the pipeline's lock
//   closed  its changes belong to its leader alone; callbacks and followers may still come, under the lock
//   ended   `ended` is set, and its callbacks have been handed over to be called
struct CommitGroup {
  struct Row {
    Family family;
    std::string key;
    std::optional<std::string> value;
    std::optional<std::string> range_end = {};  // if set, the rows from `key` to before this are removed
  };
  // `Done` is called once, after the group has ended. The outcome has no error if the group is committed.
  using Done = std::function<void(const Result<void>& outcome)>;
  struct Callback {
    // The callback waits for this group. A check compares the group when it calls, and finds a call that
    // comes too early.
    GroupNumber group;
    Done done;
  };

  explicit CommitGroup(GroupNumber place) : number(place) {}

  const GroupNumber number;
  std::vector<std::shared_ptr<Contributor>> contributors;
  std::vector<Row> rows;
  Durability durability = Durability::kBuffered;  // the highest that any of its calls asked for
  bool joined = false;                            // something is to be committed
  std::atomic<std::uint64_t> calls = 0;           // calls that joined, for statistics
  std::vector<Callback> callbacks;
  bool ended = false;

  // Changes when the group's followers must look again, because it has ended or needs a leader. They sleep on
  // it without the pipeline's lock, for which a crowd that wakes would otherwise queue.
  sync::Atomic<std::uint32_t> news = 0;
};

}  // namespace holdfast
