#include "engine/engine/engine_impl.h"

#include <algorithm>
#include <utility>

#include "engine/codec/encoding/keys.h"

namespace holdfast {
Engine::Impl::Impl(std::unique_ptr<Store> store_to_own, EngineOptions engine_options)
    : EngineContext(std::move(store_to_own), std::move(engine_options)) {}

// Only close() holds the lock alone, once `closing` is set. It must not be waited for: it waits itself for
// the callbacks that are still to run, which may call the engine, on this thread or on close()'s own.
Result<Engine::Impl::Call> Engine::Impl::keep_open() {
  const auto closed = [this] { return closing.load(std::memory_order_acquire); };
  std::shared_lock lock(calls_, std::defer_lock);
  if (closed() || !lock.try_lock() || closed()) return fail(ErrorCode::kClosed, "the engine is closed");
  return Call(std::move(lock));
}

Result<Engine::Impl::Call> Engine::Impl::begin_call() {
  auto call = keep_open();
  if (!call) return call;
  if (auto healthy = pipeline.healthy(); !healthy) return tl::unexpected(healthy.error());
  return call;
}

Error Engine::Impl::after_deletion(const std::shared_ptr<Queue>& queue) {
  const GroupNumber deletion = [&] {
    const LockedQueue locked(pipeline.gate(), *queue);
    return queue->deletion();
  }();
  const auto committed = pipeline.wait(deletion);
  return committed ? Queue::deleted_error() : committed.error();
}

void Engine::Impl::reclaim(Queue& queue) {
  std::vector<Seq> heads;
  std::map<WaitsFor, std::optional<SchedulePlace>> waiting;
  GroupNumber removed{};
  {
    const LockedQueue locked(pipeline.gate(), queue);
    if (std::exchange(queue.removed_chunks, 0) == 0) return;
    removed = pipeline.open_group();
    for (const QueueState& lane : queue.state.all()) heads.push_back(lane.log().head());
    for (const WaitsFor what : kWaits) waiting[what] = queue.state.scheduled().first(what);
  }
  // Nobody else may ever commit, and a compaction leaves out only what is written.
  if (!pipeline.wait(removed)) return;
  // What waited for its time and has entered the log since.
  for (const auto& [what, first] : waiting) {
    reclaimer.consider_rows(Family::kScheduled, keys::scheduled_begin(queue.id, what),
                            first ? keys::scheduled(queue.id, *first) : keys::scheduled_end(queue.id, what));
  }
  const std::uint64_t least = space.admit(0) ? Reclaimer::kGarbageBytes : Reclaimer::kGarbageBytesWhenShort;
  for (const Seq head : heads) reclaimer.consider(queue.id, lane_begin(lane_of(head)), head, least);
}

Timestamp Engine::Impl::run_due() {
  const Timestamp time = now();
  space.look(time);
  background.look_again();
  archive_thread.look_again();
  std::optional<GroupNumber> last = tell_step(time);
  const Timestamp follows = follow_wall_clock(time);
  for (const auto& queue : scheduler.take_due(time)) {
    {
      const LockedQueue locked(pipeline.gate(), *queue);
      if (queue->deleted()) continue;
      // Bounded, so that a large backlog of timers does not hold the lock for long; the rest is due at once.
      constexpr std::size_t kChunks = 256;
      // Written, so that a failure is judged once, by the options of its time, and not again after a restart.
      std::vector<LeaseEnd> ended;
      if (queue->state.expire(time, kChunks, queue->journal.on() ? &ended : nullptr)) {
        last = pipeline.join(queue, Durability::kBuffered);
      }
      queue->record(ended);
      if (queue->journal.expire(clock.stored(time))) last = pipeline.join(queue, Durability::kBuffered);
      if (queue->forget_sends(time)) last = pipeline.join(queue, Durability::kBuffered);
      end_waits(*queue, time);
      after_change(queue, time);
    }
    expire_due(queue);
    (void)enter_due(queue);
    if (const auto group = dead_letter_exhausted(queue, HowMany::kSome); group && *group) last = **group;
    if (compact_chunks(queue)) scheduler.schedule(queue, time);
    reclaim(*queue);
    if (const auto group = spill_waiting(queue)) last = *group;
    if (const auto group = return_to_tail(queue)) last = *group;
    retain(queue);
    (void)run_policies(queue, time);
    load_for_waiters(queue);
  }
  const Timestamp next_step = run_tasks();
  {
    const Gate::Pass pass(pipeline.gate());
    if (const auto group = requests.forget(clock.stored(time))) last = *group;
  }
  if (last) (void)pipeline.wait(*last);
  return std::min({scheduler.next_due(), next_step, follows});
}

Result<void> Engine::Impl::start() {
  if (auto ok = pipeline.start(); !ok || !options.background) return ok;
  auto thread = sync::Thread::start([this] { run_background(); });
  if (!thread) return tl::unexpected(thread.error());
  background_ = *std::move(thread);
  return {};
}

void Engine::Impl::run_background() {
  // What waits for a time of day may be due at once when the wall clock is set, so the thread looks again
  // after a while even if nothing seems due.
  constexpr Duration kLongestSleep = std::chrono::seconds(1);
  while (!closing.load(std::memory_order_acquire)) {
    const Timestamp next = run_due();
    const Timestamp time = now();
    if (next > time) scheduler.sleep(next, std::min(kLongestSleep, next - time));
  }
}

Result<void> Engine::Impl::close() {
  const sync::Lock lock(close_mutex_);
  if (closed_) return *closed_;
  sync::pause();  // `closing` is a std::atomic, for stores look at it too
  closing.store(true, std::memory_order_release);
  for (const auto& queue : catalog.all()) {
    const LockedQueue locked(pipeline.gate(), *queue);
    end_waits(*queue, Timestamp::max());
  }
  archiving.stop();
  scheduler.stop();
  if (background_.joinable()) background_.join();
  // Whoever was in a call has posted what he had to post.
  { const sync::ExclusiveLock no_call_is_left(calls_); }
  archive_thread.stop();
  call_pool.stop();
  requests.stop();
  background.stop();
  const sync::ExclusiveLock calls(calls_);
  reclaimer.stop();
  const Result<void> stopped = pipeline.stop();
  events.stop();
  const Result<void> store_closed = store->close();
  closed_ = stopped ? store_closed : stopped;
  return *closed_;
}

}  // namespace holdfast
