// How many dead letters came to a queue in each hour and minute, and in all: one row an hour, written at most
// once a commit.
#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "engine/codec/rows/arrivals_row.h"
#include "engine/storage/store.h"

namespace holdfast {

// Not thread-safe: guarded by its queue's lock.
class ArrivalLog {
 public:
  explicit ArrivalLog(QueueId queue) : queue_(queue) {}

  // A dead letter comes with the open group.
  void add(Timestamp died_at, DeathCause cause, std::string_view category);
  // One comes that died elsewhere: it counts in its minute alone.
  void add_parked(Timestamp time);

  // Adds the rows that change to the group's, and the removal of those that are too old. `store` has all
  // earlier groups. kCorruption, or what reading it failed with.
  Result<void> contribute(const Store& store, Batch& rows);

 private:
  // The row as the groups before this one left it.
  Result<ArrivalsRow> before(Hour hour, const Store& store, Batch& rows) const;

  const QueueId queue_;
  std::map<Hour, ArrivalsRow> pending_;  // what the open group adds
  struct Written {
    Hour hour;
    ArrivalsRow row;
  };
  std::optional<Written> last_;
};

}  // namespace holdfast
