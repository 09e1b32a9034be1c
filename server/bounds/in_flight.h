// What clients hold.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "engine/sync/mutex.h"
#include "holdfast/engine.h"

namespace holdfast::server {

// The deliveries that one connection has brought. Which of them are over only the engine knows, for they may
// be settled over any connection, run out, or go with their queue: it is asked, of many at once. For any
// thread.
class ConnectionInFlight {
 public:
  void add(const Engine& engine, std::span<const Delivery> deliveries);

  // How many are not over. None if the engine has stopped: nobody can settle them.
  std::size_t count(const Engine& engine);

 private:
  // With this many, or twice as many as were not over the last time, the engine is asked. So each costs a
  // look or two, and the memory is that of what is held.
  static constexpr std::size_t kAskAt = 256;

  void forget_those_over(const Engine& engine) HOLDFAST_REQUIRES(mutex_);

  // Held while the engine is asked, so that no count misses what is being looked at. The engine's callbacks
  // do not take it.
  sync::Mutex mutex_;
  std::vector<Receipt> receipts_ HOLDFAST_GUARDED_BY(mutex_);
  std::size_t ask_at_ HOLDFAST_GUARDED_BY(mutex_) = kAskAt;
};

// Those of all connections. For any thread.
class InFlight {
 public:
  // Of a new connection: counts for as long as the caller keeps it.
  std::shared_ptr<ConnectionInFlight> open();

  std::size_t count(const Engine& engine) const;

 private:
  mutable sync::Mutex mutex_;
  std::vector<std::weak_ptr<ConnectionInFlight>> connections_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::server
