#include "engine/messages/leasing.h"

#include <algorithm>
#include <utility>

#include "engine/core/seq_math.h"

namespace holdfast {
namespace {

using Received = Receiver::Received;
using State = Received::State;

// After so many steps past messages that are leaving, a receive with a callback lets others have the
// background thread before it goes on.
constexpr int kStepsInARow = 4;

// Returns whether all that was granted is still leased.
bool holds(const Queue& queue, const LeasedBatch& batch) HOLDFAST_REQUIRES(queue.mutex) {
  return std::ranges::all_of(batch.grants, [&](const Grant& grant) HOLDFAST_REQUIRES(queue.mutex) {
    return queue.state.of(grant.chunk + grant.index)
               .window()
               .check(grant.chunk + grant.index, batch.terms.id) == ReceiptCheck::kValid;
  });
}

// Returns whether ready messages may be waiting for others of their groups that are leaving.
bool is_held_up(const Queue& queue) HOLDFAST_REQUIRES(queue.mutex) {
  return queue.state.grouping() == Grouping::kOrdered && queue.state.leaving() > 0 &&
         queue.state.counts().ready > 0;
}

}  // namespace

Leasing::Leasing(EngineContext& engine, Dispatcher& dispatcher, DeadLetterMover& mover, Expirer& expirer,
                 const std::shared_ptr<Queue>& queue, const Receiver::ReceiveRequest& request,
                 LeasedBatch batch)
    : engine_(engine),
      dispatcher_(dispatcher),
      mover_(mover),
      expirer_(expirer),
      queue_(queue),
      request_(request),
      batch_(std::move(batch)) {
  if (batch_.grants.empty()) begin_batch();
}

Result<Received> Leasing::run(const std::function<Waiter()>& make_waiter) {
  for (;;) {
    Look look;
    {
      const LockedQueue locked(engine_.pipeline.gate(), *queue_);
      if (queue_->deleted()) return tl::unexpected(Queue::deleted_error());
      const Timestamp time = engine_.now();
      if (!renew_lease(time)) return Received{State::kDone, std::move(batch_)};
      look = grant(time);
      const bool is_over = is_cut_short() || (!look.in_the_way() && !look.load_from);
      if (is_over) return deliver_or_wait(time, make_waiter);
      if (!request_.may_block || (request_.token != 0 && steps_ == kStepsInARow)) {
        queue_->waiters.begin_loading(request_.token);
        return Received{State::kMustLoad, std::move(batch_)};
      }
    }
    if (auto ok = resolve(look); !ok) {
      // What is granted already is delivered; the next receive meets the error.
      if (!batch_.grants.empty()) return Received{State::kDone, std::move(batch_)};
      return tl::unexpected(ok.error());
    }
  }
}

void Leasing::begin_batch() {
  batch_ = {};
  batch_.terms = {
      .id = engine_.ids->next_lease(), .consumer = request_.consumer, .prefetch = request_.prefetch};
}

Duration Leasing::lease() const { return request_.lease ? *request_.lease : queue_->options().lease; }

bool Leasing::renew_lease(Timestamp time) {
  if (!batch_.grants.empty() && batch_.terms.until <= time) {
    // The lease ran out during a read. Nothing more is granted with it: once it has ended for a message,
    // that one would be given twice with one receipt.
    if (holds(*queue_, batch_)) return false;
    begin_batch();
  }
  if (batch_.grants.empty()) {
    batch_.terms.length = lease();
    batch_.terms.until = time + batch_.terms.length;
  }
  return true;
}

Leasing::Look Leasing::grant(Timestamp time) {
  Look look{.expiring = queue_->expiries.next() <= engine_.clock.stored(time)};
  if (look.expiring || queue_->paused.deliveries) return look;
  // A fair queue gets to know more groups before it chooses: a few chunks with each receive.
  if (queue_->state.grouping() == Grouping::kFair && !looked_ahead_) {
    look.load_from = queue_->state.load_from();
    looked_ahead_ = queue_->state.unread(1).empty();
    if (look.load_from) return look;
  }
  dispatcher_.grant(queue_, request_.max, batch_);
  queue_->meter.note(std::as_const(queue_->state).totals(), time);
  const bool full = batch_.grants.size() == request_.max || batch_.budget.spent();
  if (!full) look.load_from = queue_->state.load_from();
  look.held_up = batch_.grants.empty() && !look.load_from && !in_vain_ && is_held_up(*queue_);
  return look;
}

bool Leasing::is_cut_short() const {
  const bool cancelled =
      request_.token != 0 && request_.may_block && !queue_->waiters.is_loading(request_.token);
  return engine_.closing || cancelled;
}

Result<Received> Leasing::deliver_or_wait(Timestamp time, const std::function<Waiter()>& make_waiter) {
  if (!batch_.grants.empty() || request_.wait == Duration{0} || is_cut_short()) {
    return Received{State::kDone, std::move(batch_)};
  }
  // Either fail_waits() has not looked at this queue yet, or it has nothing to tell.
  if (auto healthy = engine_.pipeline.healthy(); !healthy) return tl::unexpected(healthy.error());
  Waiter waiter = make_waiter();
  waiter.max = request_.max;
  waiter.lease = lease();
  waiter.consumer = request_.consumer;
  waiter.prefetch = request_.prefetch;
  waiter.deadline = time + request_.wait;
  engine_.scheduler.schedule(queue_, waiter.deadline);
  queue_->waiters.add(std::move(waiter));
  return Received{State::kWaiting};
}

Result<void> Leasing::resolve(const Look& look) {
  if (look.in_the_way()) ++steps_;
  if (look.held_up) {
    in_vain_ = !mover_.dead_letter_some(queue_);
    return {};
  }
  return look.expiring ? expirer_.pass_expired(queue_)
                       : engine_.chunk_loader.load_ahead(*queue_, *look.load_from);
}

}  // namespace holdfast
