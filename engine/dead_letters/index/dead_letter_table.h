// The dead letters of one queue, as its commits change them: records, the index over them, and the counts.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/dead_letters/dead_letter_row.h"
#include "engine/codec/dead_letters/stored_record.h"
#include "engine/dead_letters/index/index_count_cache.h"
#include "engine/storage/store.h"
#include "holdfast/ids.h"

namespace holdfast {

// Not thread-safe: guarded by its queue's lock.
class DeadLetterTable {
 public:
  explicit DeadLetterTable(QueueId queue) : queue_(queue) {}

  // --- what the open group is to change ---

  // A record that was not there before. `original`: as encoded, if the row says that there is one and it was
  // not kept before.
  void add(const RecordKey& key, DeadLetterRow row, std::string original = {});
  // What people made of a record; nothing if it is not there any more.
  void amend(const RecordKey& key, Triage triage);
  void remove(const RecordKey& key);
  // The message was acknowledged, which `entry` tells, and leaves by it: its record goes on as history,
  // fixed. Before remove().
  void ack(Seq seq, AuditEntry entry);
  // The message left by redrive: its record goes on as history, with this triage. Those of one group come by
  // ascending seq. `original`: see add(). `task`: which redrive; 0: none that is known by a number.
  void replay(Seq seq, std::unique_ptr<const StoredRecord> record, Triage triage, std::string original,
              TaskId task);
  // A message that was replayed from here died again, and its new record was added: it takes over what people
  // made of the one that is history, which goes.
  void adopt_history(Seq seq, Seq history);
  // From here on it is remembered which history went, taken over or cleared; for one caller at a time, who
  // lets no history come meanwhile, until unwatch().
  void watch() {
    taken_over_.emplace();
    cleared_since_ = false;
  }
  void unwatch() { taken_over_.reset(); }
  bool has_gone(Seq history) const {
    return taken_over_ && (cleared_since_ || taken_over_->contains(history));
  }
  // The record that was added at `seq` is of a message whose death before this one has a record in another
  // queue, or had it until now: what that says of the first death is kept, and if the message leaves that
  // queue now, how it was before an edit.
  void link_first_death(Seq seq, QueueId queue, const RecordKey& before);
  // All records go. What removes the stored rows is the caller's.
  void clear();
  // Whether they do with the open group.
  bool is_cleared() const { return cleared_; }

  // Adds the changes, with what follows for index and counts, to the group's rows. `store` has all earlier
  // groups: they are written one after another. kCorruption, or what reading it failed with.
  Result<void> contribute(const Store& store, Batch& rows);
  // The tasks that had moved the messages of which the last contribution has a new death, one for each.
  std::vector<TaskId> take_died_again() { return std::exchange(died_again_, {}); }

 private:
  struct Change {
    std::optional<DeadLetterRow> row = {};  // none: it is removed
    bool is_new = false;                    // the store does not have it
    std::optional<Triage> amended = {};     // of the row in the store, unless there is one here
    std::optional<Seq> adopts = {};
    struct EarlierRecord {
      QueueId queue;
      RecordKey key;
    };
    std::optional<EarlierRecord> first_death = {};
    std::optional<AuditEntry> acked = {};
    std::string original = {};
  };
  using Pending = std::map<RecordKey, Change>;
  struct Replay {
    Seq seq{};
    std::unique_ptr<const StoredRecord> record;
    Triage triage;
    std::string original;
    TaskId task{};
  };
  class Contribution;

  bool is_replayed(const RecordKey& key) const;

  const QueueId queue_;
  Pending pending_;
  std::vector<Replay> replays_;
  std::vector<TaskId> died_again_;
  std::optional<std::set<Seq>> taken_over_;
  bool cleared_since_ = false;  // watch() was called
  IndexCountCache counts_;
  bool cleared_ = false;  // the store's rows count no more
};

}  // namespace holdfast
