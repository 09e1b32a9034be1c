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
  explicit Leases(Duration length) : half_(length / 2), tenth_(length / 10) {}

  void add(const Receipt& receipt, Timestamp time);
  void remove(const Receipt& receipt);

  // Those of which half is over. They count as extended at `time`.
  std::vector<Receipt> take_due(Timestamp time);
  // The extension that began at `time` failed, or may have: another one is due a tenth of the length later,
  // so that several tries fit before the lease is over. Not if it was removed or lost meanwhile.
  void try_again(const Receipt& receipt, Timestamp time);
  // When the next one is due; max() if none is held.
  Timestamp next_due() const;

  // It could not be extended, since it was over. Not if it was removed meanwhile.
  void lose(const Receipt& receipt);
  bool is_lost(const Receipt& receipt) const { return lost_.contains(receipt); }

 private:
  void put(const Receipt& receipt, Timestamp due);

  const Duration half_;
  const Duration tenth_;
  std::map<Receipt, Timestamp> held_;  // by when they are to be extended
  std::set<std::pair<Timestamp, Receipt>> due_;
  std::set<Receipt> lost_;
};

}  // namespace holdfast::worker
