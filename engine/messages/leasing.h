// Leasing gets one receive its messages: by turns under the queue's lock, between which it reads what is
// missing and moves what is in the way.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "engine/messages/receiver.h"

namespace holdfast {

class Leasing {
 public:
  // Goes on with `batch`, which may have messages already.
  Leasing(EngineContext& engine, Dispatcher& dispatcher, DeadLetterMover& mover, Expirer& expirer,
          const std::shared_ptr<Queue>& queue, const Receiver::ReceiveRequest& request, LeasedBatch batch);

  // Returns a batch that is leased, or the waiter that `make_waiter` made because there was nothing to lease.
  Result<Receiver::Received> run(const std::function<Waiter()>& make_waiter) HOLDFAST_EXCLUDES(inside_gate);

 private:
  // A Look has what a turn has found, after it has granted what it could.
  struct Look {
    std::optional<Seq> load_from = {};  // chunks are to be read from here on before more can be granted
    bool expiring = false;              // messages that have expired are to leave first
    bool held_up = false;               // ready messages wait for others of their groups, which are leaving

    bool in_the_way() const { return expiring || held_up; }
  };

  void begin_batch();
  Duration lease() const HOLDFAST_REQUIRES(queue_->mutex);
  // Sets when the leases granted at `time` end. Returns false if the batch must be delivered as it is.
  bool renew_lease(Timestamp time) HOLDFAST_REQUIRES(queue_->mutex);
  Look grant(Timestamp time) HOLDFAST_REQUIRES(queue_->mutex) HOLDFAST_REQUIRES_SHARED(inside_gate);
  // Returns whether the engine closes or the receive was cancelled.
  bool is_cut_short() const HOLDFAST_REQUIRES(queue_->mutex);
  // Returns the batch if it has messages, or else has the receive wait if it may. Requires that nothing more
  // can be leased now.
  Result<Receiver::Received> deliver_or_wait(Timestamp time, const std::function<Waiter()>& make_waiter)
      HOLDFAST_REQUIRES(queue_->mutex);
  // Reads or moves what the look found missing or in the way. May block.
  Result<void> resolve(const Look& look) HOLDFAST_EXCLUDES(inside_gate);

  EngineContext& engine_;
  Dispatcher& dispatcher_;
  DeadLetterMover& mover_;
  Expirer& expirer_;
  const std::shared_ptr<Queue>& queue_;
  const Receiver::ReceiveRequest& request_;
  LeasedBatch batch_;
  int steps_ = 0;  // past messages that are leaving
  bool looked_ahead_ = false;
  bool in_vain_ = false;  // what holds up a group is leaving, and cannot be moved
};

}  // namespace holdfast
