// The index knows when a queue's messages expire, and what of it goes with the open group. A queue has one
// ExpiryIndex, under its mutex. Its times are stored time.
#pragma once

#include <vector>

#include "engine/codec/encoding/keys.h"
#include "engine/core/schedule.h"
#include "engine/storage/store.h"

namespace holdfast {

class ExpiryIndex final : public Expiries {
 public:
  // These add a chunk to the index, at the time at which its first message expires, and remove it.
  void put(const keys::ExpiryPlace& place) { puts_.push_back(place); }
  void remove(const keys::ExpiryPlace& place) { removals_.push_back(place); }
  // Forgets everything: no message expires any more.
  void clear();
  void contribute(QueueId queue, Batch& rows);

 private:
  std::vector<keys::ExpiryPlace> removals_;
  std::vector<keys::ExpiryPlace> puts_;
};

}  // namespace holdfast
