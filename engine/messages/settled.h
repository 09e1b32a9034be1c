// What became of the receipts of a call, before its commit.
#pragma once

#include <optional>
#include <vector>

#include "engine/context/context.h"

namespace holdfast {

struct Settled {
  std::vector<Result<void>> results;
  std::optional<GroupNumber> group;        // set if anything is to be committed
  std::optional<GroupNumber> synced = {};  // of what is to be on disk, the last one
  HeldRequest request = {};                // until then

  void joined(GroupNumber last, Durability asked) {
    group = last;
    if (asked == Durability::kFsync) synced = last;
  }
};

}  // namespace holdfast
