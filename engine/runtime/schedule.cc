// Moving messages that wait for a time between the log and `visibility`, in bounded steps.
#include "codec/keys.h"
#include "holdfast/limits.h"
#include "runtime/engine_impl.h"

namespace holdfast {
namespace {

constexpr std::size_t kStepMessages = 1024;
constexpr std::size_t kStepBytes = 4 << 20;

struct DueRow {
  SchedulePlace place;
  std::shared_ptr<const Chunk> chunk;
};

struct DueRows {
  std::vector<DueRow> rows;
  std::optional<SchedulePlace> next;  // the first one that was left
};

// The rows from `from` on that are due, up to the bounds of a step.
Result<DueRows> read_due(const Store& store, QueueId queue, const SchedulePlace& from, Timestamp time) {
  DueRows due;
  std::size_t messages = 0;
  std::size_t bytes = 0;
  const auto scan = store.scan(Family::kVisibility, keys::scheduled(queue, from), keys::scheduled_end(queue));
  for (; scan->valid(); scan->next()) {
    const auto place = keys::parse_scheduled(scan->key());
    if (!place) return fail(ErrorCode::kCorruption, "a key of visibility does not decode");
    if (place->visible_at > time || messages >= kStepMessages || bytes >= kStepBytes) {
      due.next = place;
      return due;
    }
    auto chunk = Chunk::decode(std::string(scan->value()));
    if (!chunk) return tl::unexpected(chunk.error());
    messages += (*chunk)->count();
    bytes += (*chunk)->bytes().size();
    due.rows.push_back({*place, std::move(*chunk)});
  }
  if (auto status = scan->status(); !status) return tl::unexpected(status.error());
  return due;
}

}  // namespace

std::optional<GroupNumber> Engine::Impl::park_waiting(const std::shared_ptr<Queue>& queue) {
  std::optional<GroupNumber> last;
  for (;;) {
    std::vector<Doomed> waiting;
    GroupNumber written{};
    {
      const LockedQueue locked(pipeline.gate(), *queue);
      waiting = queue->state.far_waiting(now(), limits::kChunkMessages);
      written = queue->last_chunk_group(pipeline);
    }
    if (waiting.empty()) return last;
    const LoadedChunks chunks = load_chunks(queue->id, waiting, written, last);
    const LockedQueue locked(pipeline.gate(), *queue);
    const Timestamp time = now();
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const Seq seq = waiting[i].seq();
      if (chunks[i] && queue->state.waits_far(seq, time))
        queue->park(waiting[i], (*chunks[i])->message(waiting[i].index));
      queue->state.keep_far_waiting(seq);  // what cannot be read waits where it is
    }
    last = pipeline.join(queue, Durability::kBuffered);
    after_change(queue, time);
  }
}

std::optional<GroupNumber> Engine::Impl::return_to_tail(const std::shared_ptr<Queue>& queue) {
  std::optional<GroupNumber> last;
  for (;;) {
    std::vector<Doomed> moving;
    GroupNumber written{};
    {
      const LockedQueue locked(pipeline.gate(), *queue);
      moving = queue->state.tailing(limits::kChunkMessages);
      written = queue->last_chunk_group(pipeline);
    }
    if (moving.empty()) return last;
    const LoadedChunks chunks = load_chunks(queue->id, moving, written, last);
    const LockedQueue locked(pipeline.gate(), *queue);
    const Timestamp time = now();
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const Seq seq = moving[i].seq();
      if (!queue->state.is_tailing(seq)) continue;
      if (!chunks[i]) {
        queue->state.keep_place(seq);
      } else if (queue->state.due_of(seq) > time) {
        queue->park(moving[i], (*chunks[i])->message(moving[i].index));
      } else {
        queue->move_to_tail(moving[i], (*chunks[i])->message(moving[i].index));
      }
    }
    last = pipeline.join(queue, Durability::kBuffered);
    after_change(queue, time);
  }
}

Result<void> Engine::Impl::enter_due(const std::shared_ptr<Queue>& queue) {
  // What a step reads must not hold rows that an earlier one removed: so one step at a time, and its commit
  // before the next one.
  const std::scoped_lock one_step(queue->schedule_mutex);
  SchedulePlace from;
  GroupNumber written{};
  const Timestamp time = now();
  {
    const LockedQueue locked(pipeline.gate(), *queue);
    if (queue->deleted || queue->state.scheduled().next_due() > time) return {};
    from = *queue->state.scheduled().first();
    written = queue->last_schedule_group(pipeline);
    queue->state.scheduled().begin_reading();
  }
  auto due = [&]() -> Result<DueRows> {
    if (auto ok = pipeline.wait(written); !ok) return tl::unexpected(ok.error());
    return read_due(*store, queue->id, from, time);
  }();
  GroupNumber group{};
  {
    const LockedQueue locked(pipeline.gate(), *queue);
    if (queue->deleted) return {};
    Schedule& scheduled = queue->state.scheduled();
    if (!due) {
      scheduled.expect(from);
      scheduled.pause_until(time + kPauseAfterError);
      after_change(queue, time);
      return tl::unexpected(due.error());
    }
    if (due->next) scheduled.expect(*due->next);
    for (const DueRow& row : due->rows) queue->enter(row.place, *row.chunk);
    group = pipeline.join(queue, Durability::kBuffered);
    after_change(queue, time);
  }
  return pipeline.wait(group);
}

}  // namespace holdfast
