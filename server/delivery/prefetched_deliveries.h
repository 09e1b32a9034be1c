// What was pushed and is neither started nor settled.
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

// Of all connections: a client that lost one may begin or settle over the next what the old one brought,
// whichever thread serves it.
class PrefetchedDeliveries {
 public:
  // A subscription.
  class Owner {
    friend class PrefetchedDeliveries;  // under whose mutex these are
    std::set<Receipt> receipts = {};
    bool gone = false;
  };
  // What a call that is to settle it has taken.
  struct Taken {
    std::size_t place;  // among the call's receipts
    Receipt receipt;
    std::shared_ptr<Owner> owner;
  };

  void add(const std::shared_ptr<Owner>& owner, std::span<const Delivery> deliveries) {
    const sync::Lock lock(mutex_);
    for (const Delivery& delivery : deliveries) {
      // A client that lets leases run out piles these up; they go back by themselves.
      if (owner->receipts.size() >= 2 * limits::kReceiveMax) {
        owners_.erase(*owner->receipts.begin());
        owner->receipts.erase(owner->receipts.begin());
      }
      insert(owner, delivery.receipt);
    }
  }

  // Before they are settled or started, so that nothing gives them back meanwhile.
  std::vector<Taken> take(std::span<const Receipt> receipts) {
    const sync::Lock lock(mutex_);
    std::vector<Taken> taken;
    if (owners_.empty()) return taken;
    for (std::size_t place = 0; place < receipts.size(); ++place) {
      const auto owner = owners_.find(receipts[place]);
      if (owner == owners_.end()) continue;
      taken.push_back({place, receipts[place], std::move(owner->second)});
      taken.back().owner->receipts.erase(receipts[place]);
      owners_.erase(owner);
    }
    return taken;
  }

  // Those that are on their way back to their queue. The engine gives them back on a thread of its own: a
  // start that came before that would be answered, and then undone.
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
    // Makes them receipts of no delivery, so that the engine answers that it is over.
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
  // Shared with the engine's answer, which may come after the server is gone.
  const std::shared_ptr<GoingBack>& going_back() const { return going_back_; }

  // They were not settled after all. Gives those of owners that are gone: they are the caller's to give back,
  // and on their way there from now on.
  std::vector<Receipt> put_back(std::span<const Taken> taken) {
    const sync::Lock lock(mutex_);
    std::vector<Receipt> left;
    for (const auto& [place, receipt, owner] : taken) {
      if (owner->gone) {
        left.push_back(receipt);
      } else {
        insert(owner, receipt);
      }
    }
    going_back_->add(left);
    return left;
  }

  // The owner is gone: its receipts are the caller's to give back, and on their way there from now on.
  std::vector<Receipt> end(const std::shared_ptr<Owner>& owner) {
    const sync::Lock lock(mutex_);
    owner->gone = true;
    std::vector<Receipt> left(owner->receipts.begin(), owner->receipts.end());
    for (const Receipt& receipt : left) owners_.erase(receipt);
    owner->receipts.clear();
    going_back_->add(left);
    return left;
  }

 private:
  void insert(const std::shared_ptr<Owner>& owner, const Receipt& receipt) HOLDFAST_REQUIRES(mutex_) {
    owner->receipts.insert(receipt);
    owners_[receipt] = owner;
  }

  sync::Mutex mutex_;
  std::map<Receipt, std::shared_ptr<Owner>> owners_ HOLDFAST_GUARDED_BY(mutex_);
  const std::shared_ptr<GoingBack> going_back_ = std::make_shared<GoingBack>();
};

}  // namespace holdfast::server
