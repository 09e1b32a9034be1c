// Which leases a worker holds, and when to extend them. Pure: time comes from outside.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast::worker {

class Leases {
 public:
  // Each of this length.
  explicit Leases(Duration length) : half_(length / 2) {}

  void add(const Receipt& receipt, Timestamp time);
  void remove(const Receipt& receipt);

  // Those of which half is over. They count as extended at `time`.
  std::vector<Receipt> take_due(Timestamp time);
  // When the next one is due; max() if none is held.
  Timestamp next_due() const;

  // It could not be extended, since it was over. Not if it was removed meanwhile.
  void lose(const Receipt& receipt);
  bool is_lost(const Receipt& receipt) const { return lost_.contains(receipt); }

 private:
  const Duration half_;
  std::map<Receipt, Timestamp> held_;  // by when they are to be extended
  std::set<std::pair<Timestamp, Receipt>> due_;
  std::set<Receipt> lost_;
};

}  // namespace holdfast::worker
