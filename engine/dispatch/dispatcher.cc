#include "engine/dispatch/dispatcher.h"

#include <algorithm>
#include <utility>

namespace holdfast {
namespace {

// The space of messages is looked after this long after they have left. The pause is long, so that the space
// of many of them is reclaimed at once.
constexpr Duration kReclaimPause = std::chrono::seconds(10);
constexpr Duration kReclaimPauseWhenShort = std::chrono::seconds(1);  // while space is short

}  // namespace

void Dispatcher::grant(const std::shared_ptr<Queue>& queue, std::size_t max, LeasedBatch& batch) {
  engine_.pipeline.gate().assert_inside();
  max = batch.grants.size() + std::min<std::uint64_t>(max - batch.grants.size(), queue->bounds.leases_left());
  auto grants = queue->state.receive(max - batch.grants.size(), batch.terms, batch.budget);
  if (grants.empty()) return;
  if (!queue->latency) queue->latency = std::make_unique<LatencyRecorder>();
  if (queue->journal.on()) queue->journal.record(grants, batch.terms, engine_.now());
  batch.group = engine_.pipeline.join(queue, Durability::kBuffered);
  engine_.scheduler.schedule(queue, queue->next_visible());
  if (batch.grants.empty()) {
    batch.grants = std::move(grants);
  } else {
    batch.grants.insert(batch.grants.end(), grants.begin(), grants.end());
  }
}

void Dispatcher::after_change(const std::shared_ptr<Queue>& queue, Timestamp time) {
  // Expired messages must leave first, and run_due() sees to that.
  const bool expiring = queue->expiries.next() <= engine_.clock.stored(time);
  while (!queue->waiters.empty() && !queue->paused.deliveries && !expiring &&
         queue->state.counts().ready > 0) {
    const Waiter& waiter = queue->waiters.first();
    LeasedBatch batch;
    batch.terms = {.id = engine_.ids->next_lease(),
                   .until = time + waiter.lease,
                   .consumer = waiter.consumer,
                   .prefetch = waiter.prefetch,
                   .length = waiter.lease};
    grant(queue, waiter.max, batch);
    if (batch.grants.empty()) {
      // Either the next chunks must be read first, which run_due() does, since nobody may read under a lock;
      // or all ready messages wait for their groups.
      if (queue->state.load_from())
        engine_.scheduler.schedule(queue, std::max(time, queue->waiters.load_after()));
      break;
    }
    queue->waiters.serve_first(std::move(batch));
  }
  alerts_.judge_depth(queue, time);
  queue->meter.note(std::as_const(queue->state).totals(), time);
  Timestamp due = std::min({queue->next_due(), queue->next_policy(), queue->waiters.next_deadline()});
  if (queue->removed_chunks > 0 || queue->has_stragglers())
    due = std::min(due, time + (engine_.space.admit(0) ? kReclaimPause : kReclaimPauseWhenShort));
  engine_.scheduler.schedule(queue, due);
}

void Dispatcher::load_for_waiters(const std::shared_ptr<Queue>& queue) {
  std::optional<Seq> from;
  {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    if (queue->waiters.empty() || queue->waiters.load_after() > engine_.now()) return;
    from = queue->state.load_from();
  }
  if (!from) return;
  const auto loaded = engine_.chunk_loader.load_ahead(*queue, *from);
  const LockedQueue locked(engine_.pipeline.gate(), *queue);
  const Timestamp time = engine_.now();
  if (!loaded) queue->waiters.put_off_loading(time + EngineContext::kPauseAfterError);
  after_change(queue, time);
}

void Dispatcher::end_waits(Queue& queue, Timestamp deadline) {
  if (queue.deleted()) {
    queue.waiters.end(deadline, tl::unexpected(Queue::deleted_error()));
  } else {
    queue.waiters.end(deadline, LeasedBatch{});
  }
}

void Dispatcher::fail_waits(const Error& error) {
  for (const auto& queue : engine_.catalog.all()) {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    queue->waiters.fail(error);
  }
}

}  // namespace holdfast
