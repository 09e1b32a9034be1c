// Statistics are put together from numbers that are kept anyway. When the foremost messages were sent is read
// from disk after the queue's lock is released, so that one of them may be gone by then.
#include "engine/codec/encoding/keys.h"
#include "engine/context/deletion.h"
#include "engine/core/seq_math.h"
#include "engine/dead_letters/index/dead_letter_counts.h"
#include "engine/engine/engine_impl.h"

namespace holdfast {
namespace {

// The size of these families says how much a queue takes.
constexpr Family kLargeFamilies[] = {Family::kMessages,     Family::kDeliveries, Family::kScheduled,
                                     Family::kDeadLetters,  Family::kHistory,    Family::kDeadLetterIndex,
                                     Family::kDeadLetterIds};

// Returns when a message was first sent, or nothing if it is gone meanwhile or not committed yet.
std::optional<Timestamp> sent_at(EngineContext& engine, QueueId queue, Seq seq,
                                 std::optional<ChunkSpan> span) {
  Seq first = span ? span->first : seq;
  if (!span) {
    const auto scan =
        engine.store->scan(Family::kMessages, keys::queue_seq(queue, seq), keys::queue_end(queue));
    const auto key = scan->valid() ? keys::parse_queue_seq(scan->key()) : std::nullopt;
    if (!key) return std::nullopt;
    first = seq = key->seq;
  }
  const auto chunk = engine.chunk_loader.load(queue, first);
  if (!chunk || seq - first >= (*chunk)->count()) return std::nullopt;
  const auto index = static_cast<std::uint32_t>(seq - first);
  return (*chunk)->holds(index) ? std::optional((*chunk)->message(index).sent_at) : std::nullopt;
}

}  // namespace

Result<QueueStatistics> EngineOperationVerbs::queue_statistics(std::string_view queue_name) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  const auto found = impl_->catalog.find(queue_name);
  if (!found) return tl::unexpected(found.error());
  Queue& queue = **found;
  QueueStatistics result;
  std::optional<Seq> ready;
  std::optional<Seq> leased;
  std::optional<ChunkSpan> ready_span;
  std::optional<ChunkSpan> leased_span;
  {
    const LockedQueue locked(impl_->pipeline.gate(), queue);
    const RateMeter::Rates rates = queue.meter.rates(impl_->now());
    result.sent = rates.sent;
    result.delivered = rates.delivered;
    result.acked = rates.acked;
    result.dead_lettered = rates.dead_lettered;
    for (const LaneState& lane : queue.state.all()) {
      // The highest priority goes first.
      if (lane.states().tally().ready() > 0) ready = lane.states().first_ready();
      if (const auto first = lane.states().first_leased()) leased = first;
    }
    if (ready) ready_span = queue.state.of(*ready).window().span_of(*ready);
    if (leased) leased_span = queue.state.of(*leased).window().span_of(*leased);
    if (const Timestamp due = queue.next_visible(); due != Timestamp::max()) result.next_due = due;
    if (queue.latency) result.delivery_latency = queue.latency->read();
  }
  if (ready) result.oldest_ready = sent_at(*impl_, queue.id, *ready, ready_span);
  if (leased) result.oldest_leased = sent_at(*impl_, queue.id, *leased, leased_span);
  // What cannot be read takes no other number along; `verify` says what it is.
  if (const auto oldest = oldest_death(*impl_->store, queue.id)) result.oldest_died_at = *oldest;
  if (auto arrivals = arrival_totals(*impl_->store, queue.id)) result.arrivals = *std::move(arrivals);
  for (const Family family : kLargeFamilies) {
    result.disk_bytes +=
        impl_->store->approximate_bytes(family, keys::queue_seq(queue.id, Seq{0}), keys::queue_end(queue.id));
  }
  return unless_deleted<QueueStatistics>(impl_->pipeline, queue, std::move(result));
}

Result<EngineStatistics> EngineOperationVerbs::statistics() {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  EngineStatistics result;
  result.opened_at = impl_->opened_at;
  result.queues = impl_->catalog.all().size();
  const CommitStatistics commits = impl_->pipeline.statistics();
  result.group_calls = commits.group_calls;
  result.group_bytes = commits.group_bytes;
  result.buffered_commit = commits.buffered_commit;
  result.fsync_commit = commits.fsync_commit;
  result.free_bytes = impl_->space.free_bytes();
  result.reserve_bytes = impl_->space.reserve();
  const EngineClock::Deviation deviation = impl_->clock.deviation();
  result.clock_steps = deviation.steps;
  result.clock_offset = deviation.left;
  if (const ArchiveHealth archive = impl_->archiving.health(); !archive.last) {
    result.archive_failure = to_string(archive.last.error());
    result.archive_failing_since = archive.failing_since;
  }
  result.store = impl_->store->statistics();
  return result;
}

}  // namespace holdfast
