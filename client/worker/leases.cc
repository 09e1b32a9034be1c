#include "client/worker/leases.h"

#include <algorithm>

#include "holdfast/limits.h"

namespace holdfast::worker {

void Leases::add(const Receipt& receipt, Timestamp time) {
  held_[receipt] = {.ends = time + length_};
  put(receipt, time + half_);
}

void Leases::put(const Receipt& receipt, Timestamp due) {
  held_[receipt].due = due;
  due_.emplace(due, receipt);
}

void Leases::remove(const Receipt& receipt) {
  lost_.erase(receipt);
  const auto found = held_.find(receipt);
  if (found == held_.end()) return;
  due_.erase({found->second.due, receipt});
  held_.erase(found);
}

std::vector<Receipt> Leases::take_due(Timestamp time) {
  std::vector<Receipt> taken;
  while (!due_.empty() && due_.begin()->first <= time && taken.size() < limits::kBatchEntries) {
    taken.push_back(due_.begin()->second);
    due_.erase(due_.begin());
  }
  for (const Receipt& receipt : taken) put(receipt, time + half_);
  return taken;
}

void Leases::try_again(const Receipt& receipt, Timestamp time) {
  const auto found = held_.find(receipt);
  if (found == held_.end()) return;
  found->second.extension_failed = true;
  due_.erase({found->second.due, receipt});
  put(receipt, time + tenth_);
}

void Leases::renewed(const Receipt& receipt, Timestamp time) {
  const auto found = held_.find(receipt);
  if (found == held_.end()) return;
  found->second.ends = std::max(found->second.ends, time + length_);
  found->second.extension_failed = false;
}

bool Leases::is_lost(const Receipt& receipt, Timestamp time) const {
  if (lost_.contains(receipt)) return true;
  const auto found = held_.find(receipt);
  return found != held_.end() && found->second.extension_failed && time >= found->second.ends;
}

Timestamp Leases::next_due() const { return due_.empty() ? Timestamp::max() : due_.begin()->first; }

void Leases::lose(const Receipt& receipt) {
  if (!held_.contains(receipt)) return;
  remove(receipt);
  lost_.insert(receipt);
}

}  // namespace holdfast::worker
