// The log counts the dead letters that came to a queue in each hour and minute, and in all. Each hour has one
// row. The newest row has the totals. An hour may be earlier than that of the newest row, if the wall clock
// was set back; what comes in it then is added to its own row, and to the totals of the newest.
#pragma once

#include <map>
#include <memory>
#include <string_view>

#include "engine/codec/rows/arrivals_row.h"
#include "engine/storage/store.h"

namespace holdfast {

// The lock of its queue guards it.
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
  // Reads the newest row, unless it is known or there is none.
  Result<void> find_newest(const Store& store);
  // Adds what came in an hour to its row. add_to_newest() begins a new row if need be; its caller writes it.
  Result<void> add_to_newest(Hour hour, const ArrivalsRow& added, const Store& store, Batch& rows);
  Result<void> add_to_earlier(Hour hour, const ArrivalsRow& added, const Store& store, Batch& rows);

  const QueueId queue_;
  std::map<Hour, ArrivalsRow> pending_;  // what the open group adds
  struct Written {
    Hour hour;
    ArrivalsRow row;
  };
  // The newest row is null until it is needed. It is on the heap, since most queues never have a dead letter.
  std::unique_ptr<Written> newest_;
};

}  // namespace holdfast
