// What was pushed and is neither begun nor settled.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "holdfast/limits.h"
#include "holdfast/message.h"

namespace holdfast::server {

// Of all connections: a client that lost one may begin over the next what the old one brought, whichever
// thread serves it.
class Unbegun {
 public:
  using Receipts = std::set<Receipt>;

  void add(const std::shared_ptr<Receipts>& of, std::span<const Delivery> deliveries) {
    const std::lock_guard lock(mutex_);
    for (const Delivery& delivery : deliveries) {
      // A client that lets leases run out piles these up; they go back by themselves.
      if (of->size() >= 2 * limits::kReceiveMax) {
        owners_.erase(*of->begin());
        of->erase(of->begin());
      }
      of->insert(delivery.receipt);
      owners_[delivery.receipt] = of;
    }
  }

  // They are begun or settled now, or will be in a moment.
  void forget(std::span<const Receipt> receipts) {
    const std::lock_guard lock(mutex_);
    remove(receipts);
  }

  std::vector<Receipt> take_all(const std::shared_ptr<Receipts>& of) {
    const std::lock_guard lock(mutex_);
    std::vector<Receipt> taken(of->begin(), of->end());
    remove(taken);
    return taken;
  }

 private:
  void remove(std::span<const Receipt> receipts) {
    if (owners_.empty()) return;
    for (const Receipt& receipt : receipts) {
      const auto owner = owners_.find(receipt);
      if (owner == owners_.end()) continue;
      owner->second->erase(receipt);
      owners_.erase(owner);
    }
  }

  std::mutex mutex_;
  std::map<Receipt, std::shared_ptr<Receipts>> owners_;
};

}  // namespace holdfast::server
