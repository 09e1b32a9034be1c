// A server that drains begins nothing new, and its clients may settle what they hold.
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

// Any thread may use it. The engine must outlive it.
class Drain {
 public:
  Drain(Engine& engine, Meter& meter) : engine_(engine), meter_(meter) {}

  // Adds a loop, on which `turn(draining)` runs whenever draining begins or ends. Called before clients are
  // served.
  void add_loop(std::shared_ptr<transport::Mailbox> mailbox, std::function<void(bool draining)> turn);

  // `By` says who began the drain. No client can take back a drain of the server's own.
  enum class By { kClient, kServer };

  // Begins a drain, or goes on with other options. kClosed for a client once the server has begun its own
  // drain or stops.
  Result<void> begin(const DrainOptions& options, By by);

  // Takes the server back into service. kClosed once the server has begun a drain of its own or stops.
  Result<void> resume();

  DrainStatus status() const;

  // The server stops: nobody can take that back, and the number of deliveries in flight stays as it is now.
  void stop();
  // The server has ended. `closed` says how closing its engine went.
  void end(const Result<void>& closed);
  // Returns why the engine could not be closed; nothing if it was closed.
  std::optional<Error> failure() const;

  // Notes that `who` was told this status. Unless the drain is over by it, `who` will ask again.
  void told(const void* who, const DrainStatus& status);
  // Notes that `who` is gone and will not ask again.
  void forget(const void* who);
  // Returns whether all who follow the drain know that it is over. If the server ended before, they would
  // have to guess.
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
  std::optional<DrainStatus> last_ HOLDFAST_GUARDED_BY(mutex_);  // the last status of a server that stops
  std::optional<Error> failure_ HOLDFAST_GUARDED_BY(mutex_);
  std::set<const void*> following_ HOLDFAST_GUARDED_BY(mutex_);
  // Shared with the tasks in the mailboxes, which may outlive this object.
  std::shared_ptr<std::atomic<std::size_t>> turning_ = std::make_shared<std::atomic<std::size_t>>(0);
};

}  // namespace holdfast::server
