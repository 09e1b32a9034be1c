// Deliveries that were pushed and are neither started nor settled.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "engine/sync/mutex.h"
#include "holdfast/limits.h"
#include "holdfast/message.h"

namespace holdfast::server {

// PrefetchedDeliveries are the deliveries of all connections: a client that has lost a connection may start
// or settle over its next one what the old one brought, whichever thread serves it. Thread-safe.
class PrefetchedDeliveries {
 public:
  // An Owner is the subscription over which deliveries were pushed.
  class Owner {
    friend class PrefetchedDeliveries;  // whose mutex protects these members
    std::set<Receipt> receipts_ = {};
    bool gone_ = false;
  };
  // Taken is a delivery that a call has taken in order to settle or start it.
  struct Taken {
    std::size_t place;  // its place among the call's receipts
    Receipt receipt;
    std::shared_ptr<Owner> owner;
  };

  void add(const std::shared_ptr<Owner>& owner, std::span<const Delivery> deliveries) {
    const sync::Lock lock(mutex_);
    for (const Delivery& delivery : deliveries) {
      // A client that lets leases run out would pile these up. The oldest ones are forgotten: they go back by
      // themselves.
      if (owner->receipts_.size() >= 2 * limits::kReceiveMax) {
        owners_.erase(*owner->receipts_.begin());
        owner->receipts_.erase(owner->receipts_.begin());
      }
      insert(owner, delivery.receipt);
    }
  }

  // Takes those of the receipts that are prefetched. Called before they are settled or started, so that
  // nothing gives them back meanwhile.
  std::vector<Taken> take(std::span<const Receipt> receipts) {
    const sync::Lock lock(mutex_);
    std::vector<Taken> taken;
    if (owners_.empty()) return taken;
    for (std::size_t place = 0; place < receipts.size(); ++place) {
      const auto owner = owners_.find(receipts[place]);
      if (owner == owners_.end()) continue;
      taken.push_back({place, receipts[place], std::move(owner->second)});
      taken.back().owner->receipts_.erase(receipts[place]);
      owners_.erase(owner);
    }
    return taken;
  }

  // Deliveries that are on their way back to their queue. The engine gives them back on a thread of its own.
  // If a start came before that, it would be answered and then undone.
  class GoingBack {
   public:
    void add(std::span<const Receipt> receipts) {
      const sync::Lock lock(mutex_);
      receipts_.insert(receipts.begin(), receipts.end());
    }
    void remove(std::span<const Receipt> receipts) {
      const sync::Lock lock(mutex_);
      for (const Receipt& receipt : receipts) receipts_.erase(receipt);
    }
    // Turns those of the receipts that are going back into receipts of no delivery, so that the engine
    // answers that the delivery is over.
    void leave_out_of(std::span<Receipt> receipts) const {
      const sync::Lock lock(mutex_);
      for (Receipt& receipt : receipts) {
        if (receipts_.contains(receipt)) receipt.lease = LeaseId{};
      }
    }

   private:
    mutable sync::Mutex mutex_;
    std::set<Receipt> receipts_ HOLDFAST_GUARDED_BY(mutex_);
  };
  // Returns what is shared with the engine's answer, which may come after the server is gone.
  const std::shared_ptr<GoingBack>& going_back() const { return going_back_; }

  // Puts deliveries back that were not settled after all. Returns those whose owners are gone: the caller
  // must give them back to their queue, and they count as going back from now on.
  std::vector<Receipt> put_back(std::span<const Taken> taken) {
    const sync::Lock lock(mutex_);
    std::vector<Receipt> left;
    for (const auto& [place, receipt, owner] : taken) {
      if (owner->gone_) {
        left.push_back(receipt);
      } else {
        insert(owner, receipt);
      }
    }
    going_back_->add(left);
    return left;
  }

  // Ends an owner that is gone. Returns its receipts: the caller must give them back to their queue, and they
  // count as going back from now on.
  std::vector<Receipt> end(const std::shared_ptr<Owner>& owner) {
    const sync::Lock lock(mutex_);
    owner->gone_ = true;
    std::vector<Receipt> left(owner->receipts_.begin(), owner->receipts_.end());
    for (const Receipt& receipt : left) owners_.erase(receipt);
    owner->receipts_.clear();
    going_back_->add(left);
    return left;
  }

 private:
  void insert(const std::shared_ptr<Owner>& owner, const Receipt& receipt) HOLDFAST_REQUIRES(mutex_) {
    owner->receipts_.insert(receipt);
    owners_[receipt] = owner;
  }

  sync::Mutex mutex_;
  std::map<Receipt, std::shared_ptr<Owner>> owners_ HOLDFAST_GUARDED_BY(mutex_);
  const std::shared_ptr<GoingBack> going_back_ = std::make_shared<GoingBack>();
};

}  // namespace holdfast::server
