// When a queue's messages expire, and what of the index of that goes with the open group. A queue has one,
// under its mutex. Its times are stored time.
#pragma once

#include <vector>

#include "engine/codec/encoding/keys.h"
#include "engine/core/schedule.h"
#include "engine/storage/store.h"

namespace holdfast {

class ExpiryIndex final : public Expiries {
 public:
  // A chunk whose first message to expire does so then.
  void put(const keys::ExpiryPlace& place) { puts_.push_back(place); }
  void remove(const keys::ExpiryPlace& place) { removals_.push_back(place); }
  // Nothing expires any more.
  void clear();
  void contribute(QueueId queue, Batch& rows);

 private:
  std::vector<keys::ExpiryPlace> removals_;
  std::vector<keys::ExpiryPlace> puts_;
};

}  // namespace holdfast
