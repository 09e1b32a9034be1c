// The dead letters of one queue, as its commits change them: records, the index over them, and the counts.
#pragma once

#include <map>
#include <optional>

#include "codec/dead_letter_index.h"
#include "codec/dead_letter_row.h"
#include "holdfast/ids.h"
#include "storage/store.h"

namespace holdfast {

// Not thread-safe: guarded by its queue's lock.
class DeadLetterTable {
 public:
  explicit DeadLetterTable(QueueId queue) : queue_(queue) {}

  // --- what the open group is to change ---

  // A record that was not there before.
  void add(const RecordKey& key, DeadLetterRow row);
  // A record that is, or is not, there.
  void put(const RecordKey& key, DeadLetterRow row);
  void remove(const RecordKey& key);
  // All records go. What removes the stored rows is the caller's.
  void clear();

  // The record as the open group has it; null if the group does not touch it.
  const DeadLetterRow* pending(const RecordKey& key) const;

  // Adds the changes, with what follows for index and counts, to the group's rows. `store` has all earlier
  // groups: they are written one after another. kCorruption, or what reading it failed with.
  Result<void> contribute(const Store& store, Batch& rows);

 private:
  struct Change {
    std::optional<DeadLetterRow> row;  // none: it is removed
    bool is_new = false;               // the store does not have it
  };

  const QueueId queue_;
  std::map<RecordKey, Change> pending_;
  bool cleared_ = false;  // the store's rows count no more
};

}  // namespace holdfast
