// The table has the dead letters of one queue, as its commits change them: the records, the index over them,
// and the counts.
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

// The lock of its queue guards it.
class DeadLetterTable {
 public:
  explicit DeadLetterTable(QueueId queue) : queue_(queue) {}

  // --- what the open group is to change ---

  // Adds a record that was not there before. `original` is the encoded original of an edited message. It is
  // given if the row says that there is one and it was not kept before.
  void add(const RecordKey& key, DeadLetterRow&& row, std::string original = {});
  // Replaces the triage of a record. Nothing happens if the record is gone.
  void amend(const RecordKey& key, Triage triage);
  void remove(const RecordKey& key);
  // Keeps the record of a message that was acknowledged, which `entry` tells, as history with the status
  // fixed. It is called before remove().
  void ack(Seq seq, AuditEntry entry);
  // Keeps the record of a message that left by redrive as history, with this triage. Within one group, the
  // calls come in ascending order of `seq`. add() says what `original` is. `task` names the redrive, or is 0
  // if the redrive has no number.
  void replay(Seq seq, std::unique_ptr<const StoredRecord> record, Triage triage, std::string original,
              TaskId task);
  // Says that a message that was replayed from here died again, and that its new record was added at `seq`.
  // The new record takes over what people made of the earlier one, which is history and is removed.
  void adopt_history(Seq seq, Seq history);
  // watch() makes the table remember, until unwatch(), which history was taken over or cleared; has_gone()
  // tells. One caller at a time watches, and it makes sure that no history comes meanwhile.
  void watch() {
    taken_over_ = std::make_unique<std::set<Seq>>();
    cleared_since_ = false;
  }
  void unwatch() { taken_over_.reset(); }
  bool has_gone(Seq history) const {
    return taken_over_ && (cleared_since_ || taken_over_->contains(history));
  }
  // Says that the message of the record added at `seq` died before, and that the record of that death is, or
  // was until now, in another queue. The new record keeps what that one says of the first death. If the
  // message leaves that queue only now, it also keeps how the message was before an edit.
  void link_first_death(Seq seq, QueueId queue, const RecordKey& before);
  // Removes all records. The caller removes the stored rows.
  void clear();
  // Returns whether all records are removed with the open group.
  bool is_cleared() const { return cleared_; }

  // Adds the changes to the group's rows, together with what follows for the index and the counts. Groups are
  // written one after another, so `store` has all earlier ones. kCorruption, or the error of reading `store`.
  Result<void> contribute(const Store& store, Batch& rows);
  // Returns the tasks that had redriven the messages that died again in the last contribution, once for each
  // message.
  std::vector<TaskId> take_died_again() { return std::exchange(died_again_, {}); }

 private:
  struct Change {
    std::optional<DeadLetterRow> row = {};  // none if the record is removed
    bool is_new = false;                    // the store does not have the record
    std::optional<Triage> amended = {};  // replaces the triage of the stored row, unless there is a row here
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
  std::unique_ptr<std::set<Seq>> taken_over_;
  bool cleared_since_ = false;  // since watch() was called
  IndexCountCache counts_;
  bool cleared_ = false;  // the store's rows do not count any more
};

}  // namespace holdfast
