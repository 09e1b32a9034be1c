// Letting go of a server's clients: nothing new is begun, and what they hold they may settle.
#pragma once

#include <spdlog/logger.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "engine/sync/mutex.h"
#include "holdfast/engine.h"
#include "holdfast/operations.h"
#include "schema/transport/mailbox.h"
#include "server/bounds/meter.h"

namespace holdfast::server {

// For any thread, as long as the engine is there.
class Drain {
 public:
  Drain(Engine& engine, Meter& meter) : engine_(engine), meter_(meter) {}

  // Before clients are served: a loop that has `turn(draining)` run on it whenever that changes.
  void add_loop(std::shared_ptr<transport::Mailbox> mailbox, std::function<void(bool draining)> turn);

  // Whether the drain is the server's own, so that no client can take it back.
  enum class By { kClient, kServer };

  // Begins, or goes on with other options. kClosed for a client once the server has begun its own.
  Result<void> begin(const DrainOptions& options, By by);

  // Back into service. kClosed for a client once the server has begun a drain of its own.
  Result<void> resume();

  DrainStatus status() const;

  // The server stops: nobody takes that back, and what is in flight now stays so.
  void stop();
  // It has ended, with its engine closed like this.
  void end(const Result<void>& closed);
  // Why the engine could not be closed, if that is so.
  std::optional<Error> failure() const;

  // Somebody was told that, and will ask again unless it is over.
  void told(const void* who, const DrainStatus& status);
  // That caller is gone, and will not ask again.
  void forget(const void* who);
  // Whether all who ask how far it is know that it is over: a server that ends before would leave them to
  // guess.
  bool is_known() const;

 private:
  using Time = std::chrono::steady_clock::time_point;

  struct Order {
    Time until;
    bool exits;
    By by;
  };
  struct Loop {
    std::shared_ptr<transport::Mailbox> mailbox;
    std::function<void(bool draining)> turn;
  };

  void turn_all(bool draining) HOLDFAST_REQUIRES(mutex_);
  DrainStatus status_now() const HOLDFAST_REQUIRES(mutex_);
  bool is_final() const HOLDFAST_REQUIRES(mutex_) { return last_ || (order_ && order_->by == By::kServer); }

  Engine& engine_;
  Meter& meter_;
  mutable sync::Mutex mutex_;
  std::vector<Loop> loops_ HOLDFAST_GUARDED_BY(mutex_);
  std::optional<Order> order_ HOLDFAST_GUARDED_BY(mutex_);
  std::optional<DrainStatus> last_ HOLDFAST_GUARDED_BY(mutex_);  // of a server that stops
  std::optional<Error> failure_ HOLDFAST_GUARDED_BY(mutex_);
  std::set<const void*> following_ HOLDFAST_GUARDED_BY(mutex_);
  // Shared with the tasks in the mailboxes, which may outlive this.
  std::shared_ptr<std::atomic<std::size_t>> turning_ = std::make_shared<std::atomic<std::size_t>>(0);
};

}  // namespace holdfast::server
