// What consumers said of failures, as it goes with the open group. A queue has one, under its mutex.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/commit/commit_group.h"
#include "engine/core/queue_state.h"
#include "engine/storage/store.h"

namespace holdfast {

class FailureWrites {
 public:
  // To be written there; in place of what was said before.
  void put(const FailurePlace& place, std::shared_ptr<const std::string> failure);
  // What is to be written there; null if nothing is.
  std::shared_ptr<const std::string> said(const FailurePlace& place) const;
  void clear() { puts_.clear(); }
  // `changes`: of each lane. `group`: the one that closes.
  void contribute(QueueId queue, std::span<const GroupChanges> changes, GroupNumber group, Batch& rows);
  // The last group that closed with such.
  GroupNumber last_group() const { return last_group_; }

 private:
  struct Put {
    FailurePlace place;
    std::shared_ptr<const std::string> failure;
  };
  std::vector<Put> puts_;  // by place
  GroupNumber last_group_{};
};

}  // namespace holdfast
