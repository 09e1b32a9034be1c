// FailureWrites has what consumers said of failures, as it goes with the open group. A queue has one, under
// its mutex.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/commit/commit_group.h"
#include "engine/core/lane_state.h"
#include "engine/storage/store.h"

namespace holdfast {

class FailureWrites {
 public:
  // Has a description written at that place. It replaces what was said there before.
  void put(const FailurePlace& place, std::shared_ptr<const std::string> failure);
  // Returns what is to be written at that place, or null.
  std::shared_ptr<const std::string> said(const FailurePlace& place) const;
  void clear() { puts_.clear(); }
  // Adds the rows to `group`, which closes. `changes` has the changes of each lane.
  void contribute(QueueId queue, std::span<const GroupChanges> changes, GroupNumber group, Batch& rows);
  // Returns the last closed group in which descriptions were put.
  GroupNumber last_group() const { return last_group_; }

 private:
  struct Put {
    FailurePlace place;
    std::shared_ptr<const std::string> failure;
  };
  std::vector<Put> puts_;  // sorted by place
  GroupNumber last_group_{};
};

}  // namespace holdfast
