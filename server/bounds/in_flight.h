// Counts the deliveries that clients hold.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "engine/sync/mutex.h"
#include "holdfast/engine.h"

namespace holdfast::server {

// ConnectionInFlight has the deliveries that one connection brought. Only the engine knows which of them are
// over, since they may be settled over any connection, run out, or go with their queue. So the engine is
// asked about many at once. Any thread may use it.
class ConnectionInFlight {
 public:
  void add(const Engine& engine, std::span<const Receipt> receipts);

  // Returns how many deliveries are not over. It is 0 if the engine has stopped, since nobody can settle them
  // then.
  std::size_t count(const Engine& engine);

 private:
  // The engine is asked when there are this many receipts, or twice as many as were not over the last time.
  // So each receipt is looked at once or twice, and the memory is proportional to what is held.
  static constexpr std::size_t kAskAt = 256;

  void forget_those_over(const Engine& engine) HOLDFAST_REQUIRES(mutex_);

  // The mutex is held while the engine is asked, so that no count misses the receipts that the engine is
  // asked about. The engine's callbacks do not take it.
  sync::Mutex mutex_;
  std::vector<Receipt> receipts_ HOLDFAST_GUARDED_BY(mutex_);
  std::size_t ask_at_ HOLDFAST_GUARDED_BY(mutex_) = kAskAt;
};

// InFlight has the deliveries that all connections brought. Thread-safe.
class InFlight {
 public:
  // Makes the count of a new connection. It counts for as long as the caller keeps it.
  std::shared_ptr<ConnectionInFlight> open();

  std::size_t count(const Engine& engine) const;

 private:
  mutable sync::Mutex mutex_;
  std::vector<std::weak_ptr<ConnectionInFlight>> connections_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::server
