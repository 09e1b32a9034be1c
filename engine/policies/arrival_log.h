// How many dead letters came to a queue in each hour and minute, and in all. There is one row for each hour,
// which is written at most once for each commit.
#pragma once

#include <map>
#include <memory>
#include <string_view>

#include "engine/codec/rows/arrivals_row.h"
#include "engine/storage/store.h"

namespace holdfast {

// Not thread-safe: the lock of its queue guards it.
class ArrivalLog {
 public:
  explicit ArrivalLog(QueueId queue) : queue_(queue) {}

  // Counts a dead letter that comes with the open group.
  void add(Timestamp died_at, DeathCause cause, std::string_view category);
  // Counts a dead letter that died elsewhere and comes with the open group. It counts in its minute alone.
  void add_parked(Timestamp time);

  // Adds the rows that change to the group's rows, and the removal of those that are too old. `store` has all
  // earlier groups. kCorruption, or the error of reading `store`.
  Result<void> contribute(const Store& store, Batch& rows);

 private:
  // Returns the row of an hour as the groups before this one left it.
  Result<ArrivalsRow> before(Hour hour, const Store& store, Batch& rows) const;

  const QueueId queue_;
  std::map<Hour, ArrivalsRow> pending_;  // what the open group adds
  struct Written {
    Hour hour;
    ArrivalsRow row;
  };
  std::unique_ptr<Written> last_;  // on the heap, since most queues never have a dead letter
};

}  // namespace holdfast
