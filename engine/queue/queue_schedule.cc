// The part of a queue that lies in `scheduled`.
#include <algorithm>
#include <utility>

#include "engine/codec/encoding/keys.h"
#include "engine/codec/rows/carried.h"
#include "engine/core/seq_math.h"
#include "engine/queue/catalog.h"
#include "engine/queue/queue.h"

namespace holdfast {
namespace {

// The times of a history, as another line of time has them.
void shift(FailureHistory& history, Duration by) {
  if (history.first_failed_at == Timestamp{}) return;
  history.first_failed_at += by;
  history.last_failed_at += by;
}

}  // namespace

std::optional<Queue::Wait> Queue::wait_of(const Message& message, Timestamp time) const {
  if (sends_die()) return std::nullopt;
  if (message.visible_at) {
    if (*message.visible_at <= catalog_.clock().wall()) return std::nullopt;
    return Wait{*message.visible_at, WaitsFor::kTimeOfDay};
  }
  const Duration delay = message.delay.value_or(options_.delay);
  if (delay <= Duration{0}) return std::nullopt;
  return Wait{time + delay, WaitsFor::kDelay};
}

ChunkBuilder& Queue::scheduled_builder_for(Timestamp visible_at, WaitsFor what, std::uint32_t bytes) {
  const bool new_row = scheduled_builders_.empty() || scheduled_builders_.back().place.what != what ||
                       scheduled_builders_.back().place.visible_at != visible_at ||
                       !scheduled_builders_.back().builder.has_room_for(bytes);
  if (new_row) {
    scheduled_builders_.push_back(
        {state.scheduled().open_row(visible_at, what), ChunkBuilder(Seq{0}, ChunkKind::kMessages)});
  }
  state.scheduled().add_message(bytes);
  return scheduled_builders_.back().builder;
}

void Queue::spill(const MessageRef& waiting, MessageView message) {
  const Seq seq = waiting.seq();
  QueueState& lane = state.of(seq);
  const ReturnTo to = lane.window().is_tailing(seq) ? ReturnTo::kTail : ReturnTo::kHead;
  const EngineClock& clock = catalog_.clock();
  FailureHistory history = lane.window().history(seq);
  lane.take_descriptions_along(seq);
  shift(history, clock.ahead());
  const std::string carried = encode_carried({std::move(history), to});
  message.carried = carried;
  // One that expires first comes back to expire.
  const Timestamp due = std::min(clock.stored(lane.window().due_of(seq)), message.expires_at);
  scheduled_builder_for(due, WaitsFor::kDelay, message.bytes()).add_copy(message, message.lineage);
  lane.remove(seq, *lane.window().span_of(seq));
}

void Queue::move_to_tail(const MessageRef& waiting, const MessageView& message) {
  QueueState& lane = state.of(waiting.seq());
  const FailureHistory history = lane.window().history(waiting.seq());
  lane.take_descriptions_along(waiting.seq());
  const Seq seq = append_as_is(message, message.lineage);
  state.of(seq).reenter(seq, history, ReturnTo::kTail);
  lane.remove(waiting.seq(), *lane.window().span_of(waiting.seq()));
}

void Queue::enter(const SchedulePlace& place, const Chunk& row) {
  if (!state.scheduled().holds(place)) return;
  EngineClock& clock = catalog_.clock();
  // What waits for a time of day expires at a time of day; in the log it is a duration that ends.
  const Duration to_stored = place.what == WaitsFor::kTimeOfDay
                                 ? clock.stored(clock.of_wall(place.visible_at)) - place.visible_at
                                 : Duration{0};
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < row.count(); ++i) {
    MessageView message = row.message(i);
    const std::string_view carried = std::exchange(message.carried, {});
    bytes += message.bytes();
    if (message.expires_at != kNever) message.expires_at += to_stored;
    const Seq seq = append_as_is(message, message.lineage);
    if (carried.empty()) continue;
    Carried before = decode_carried(carried);
    shift(before.history, -clock.ahead());
    QueueState& lane = state.of(seq);
    lane.reenter(seq, before.history, before.to);
    // Said at once, or it would be handed out before its delay is over.
    if (message.expires_at <= place.visible_at) lane.expire_message(seq, *lane.window().span_of(seq));
  }
  state.scheduled().left(row.count(), bytes);
  entered_.push_back(place);
}

void Queue::put_scheduled(GroupWrites& writes) {
  for (const SchedulePlace& place : entered_) {
    writes.rows.remove_once(Family::kScheduled, keys::scheduled(id, place));
  }
  entered_.clear();
  if (scheduled_builders_.empty()) return;
  for (auto& [place, builder] : scheduled_builders_) {
    writes.chunks.push_back({Family::kScheduled, keys::scheduled(id, place), std::move(builder).finish()});
  }
  scheduled_builders_.clear();
  schedule_group_ = joined_group();
}

GroupNumber Queue::last_schedule_group(const CommitPipeline& pipeline) const {
  return scheduled_builders_.empty() ? schedule_group_ : pipeline.open_group();
}

}  // namespace holdfast
