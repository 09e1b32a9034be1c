// Leases has the leases that a worker holds, and when to extend them. It has no clock: callers pass the time.
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
  // `length` is the length of each lease.
  explicit Leases(Duration length) : length_(length), half_(length / 2), tenth_(length / 10) {}

  void add(const Receipt& receipt, Timestamp time);
  void remove(const Receipt& receipt);

  // Returns the leases of which half is over, at most as many as one call extends: the longest overdue first.
  // Their next extensions are due as if they were extended at `time`.
  std::vector<Receipt> take_due(Timestamp time);
  // Notes that a call that began at `time` has renewed the lease. Ignored if it was removed or lost
  // meanwhile.
  void renewed(const Receipt& receipt, Timestamp time);
  // Notes that the extension that began at `time` failed, or may have. The next one is due a tenth of the
  // length later, so that several tries fit before the lease is over. Ignored if the lease was removed or
  // lost meanwhile.
  void try_again(const Receipt& receipt, Timestamp time);
  // Returns when the next extension is due; max() if no lease is held.
  Timestamp next_due() const;

  // Notes that a lease could not be extended since it was over. Ignored if it was removed meanwhile.
  void lose(const Receipt& receipt);
  // Returns whether the lease is over. If its last extension failed, nobody knows that once its length has
  // passed, and it counts as over until it is renewed.
  bool is_lost(const Receipt& receipt, Timestamp time) const;

 private:
  struct Held {
    Timestamp ends{};               // it lasts until then at least
    Timestamp due{};                // by then it must be extended
    bool extension_failed = false;  // since it was renewed
  };

  void put(const Receipt& receipt, Timestamp due);

  const Duration length_;
  const Duration half_;
  const Duration tenth_;
  std::map<Receipt, Held> held_;
  std::set<std::pair<Timestamp, Receipt>> due_;
  std::set<Receipt> lost_;
};

}  // namespace holdfast::worker
