// A Settled says what became of the receipts of a call, before its commit.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/context/context.h"

namespace holdfast {

struct Settled {
  std::vector<Result<void>> results;
  std::optional<GroupNumber> group;        // set if anything must be committed
  std::optional<GroupNumber> synced = {};  // the last group that must be on disk
  HeldRequest request = {};                // held until the group is committed

  void joined(GroupNumber last, Durability asked) {
    group = last;
    if (asked == Durability::kFsync) synced = last;
  }
  // Has the answer wait for the group too, if there is one.
  void await(std::optional<GroupNumber> other) { group = std::max(group, other); }
};

}  // namespace holdfast
