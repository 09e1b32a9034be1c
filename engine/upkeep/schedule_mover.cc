#include "engine/upkeep/schedule_mover.h"

#include "engine/codec/encoding/keys.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

// A step ends with the row that reaches kMostMoved messages or kMostMovedBytes.
constexpr std::size_t kMostMoved = 1024;
constexpr std::size_t kMostMovedBytes = 4 << 20;

// The present has the time by the engine's clock and by those that rows of a schedule wait for.
struct Present {
  explicit Present(EngineClock& clock)
      : engine(clock.now()), wall(clock.wall()), stored(clock.stored(engine)) {}

  Timestamp of(WaitsFor what) const { return what == WaitsFor::kDelay ? stored : wall; }

  const Timestamp engine;
  const Timestamp wall;
  const Timestamp stored;
};

struct DueRow {
  SchedulePlace place;
  std::shared_ptr<const Chunk> chunk;
};

struct DueRows {
  std::vector<DueRow> rows;
  std::vector<SchedulePlace> next;  // the first row of each kind that was left
};

// A RowScan is a scan over the rows of one kind, from a place on.
struct RowScan {
  std::unique_ptr<Scan> scan;
  Timestamp until;     // rows up to here are due, by the clock of the kind
  Duration to_engine;  // makes a time of the kind one of the engine
};

struct Soonest {
  RowScan* rows = nullptr;  // null if nothing is due
  SchedulePlace place;
  Timestamp due() const { return place.visible_at + rows->to_engine; }
};

Result<Soonest> soonest_of(std::vector<RowScan>& kinds) {
  Soonest soonest;
  for (RowScan& kind : kinds) {
    if (auto status = kind.scan->status(); !status) return tl::unexpected(status.error());
    if (!kind.scan->valid()) continue;
    const auto place = keys::parse_scheduled(kind.scan->key());
    if (!place) return fail(ErrorCode::kCorruption, "a key of scheduled does not decode");
    const Soonest here{&kind, *place};
    const bool due = place->visible_at <= kind.until;
    if (due && (soonest.rows == nullptr || here.due() < soonest.due())) soonest = here;
  }
  return soonest;
}

// Returns the rows of all kinds that are due, in the order in which they fell due, up to the bounds of a
// step.
Result<DueRows> read_due(std::vector<RowScan> kinds) {
  DueRows due;
  std::size_t messages = 0;
  std::size_t bytes = 0;
  for (;;) {
    const auto soonest = soonest_of(kinds);
    if (!soonest) return tl::unexpected(soonest.error());
    if (soonest->rows == nullptr || messages >= kMostMoved || bytes >= kMostMovedBytes) break;
    Scan& scan = *soonest->rows->scan;
    auto chunk = Chunk::decode(std::string(scan.value()));
    if (!chunk) return tl::unexpected(chunk.error());
    messages += (*chunk)->count();
    bytes += (*chunk)->bytes().size();
    due.rows.push_back({soonest->place, std::move(*chunk)});
    scan.next();
  }
  for (const RowScan& kind : kinds) {
    if (kind.scan->valid()) due.next.push_back(*keys::parse_scheduled(kind.scan->key()));
  }
  return due;
}

Result<DueRows> read_due(const Store& store, QueueId queue, const std::vector<SchedulePlace>& from,
                         const Present& now) {
  std::vector<RowScan> kinds;
  kinds.reserve(from.size());
  for (const SchedulePlace& place : from) {
    kinds.push_back({store.scan(Family::kScheduled, keys::scheduled(queue, place),
                                keys::scheduled_end(queue, place.what)),
                     now.of(place.what), now.engine - now.of(place.what)});
  }
  return read_due(std::move(kinds));
}

// Returns where the rows of each kind begin that has some due. The caller is about to read these kinds.
std::vector<SchedulePlace> begin_reading(Schedule& scheduled, const Present& now) {
  std::vector<SchedulePlace> from;
  for (const WaitsFor what : kWaits) {
    if (scheduled.not_before(what) > now.engine || scheduled.next_due(what) > now.of(what)) continue;
    from.push_back(*scheduled.first(what));
    scheduled.begin_reading(what);
  }
  return from;
}

}  // namespace

std::optional<GroupNumber> ScheduleMover::spill_waiting(const std::shared_ptr<Queue>& queue) {
  std::optional<GroupNumber> last;
  for (;;) {
    std::vector<MessageRef> waiting;
    GroupNumber written{};
    {
      const LockedQueue locked(engine_.pipeline.gate(), *queue);
      waiting = queue->state.far_waiting(engine_.now(), limits::kChunkMessages);
      written = queue->chunks.last_group(engine_.pipeline);
    }
    if (waiting.empty()) return last;
    const ChunkLoader::LoadedChunks chunks =
        engine_.chunk_loader.load_each(queue->id, waiting, written, last);
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    const Timestamp time = engine_.now();
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const Seq seq = waiting[i].seq();
      if (chunks[i] && queue->state.of(seq).waits_far(seq, time))
        queue->spill(waiting[i], (*chunks[i])->message(waiting[i].index));
      queue->state.of(seq).keep_far_waiting(seq);  // a message that cannot be read waits where it is
    }
    last = engine_.pipeline.join(queue, Durability::kBuffered);
    dispatcher_.after_change(queue, time);
  }
}

std::optional<GroupNumber> ScheduleMover::return_to_tail(const std::shared_ptr<Queue>& queue) {
  std::optional<GroupNumber> last;
  for (;;) {
    std::vector<MessageRef> moving;
    GroupNumber written{};
    {
      const LockedQueue locked(engine_.pipeline.gate(), *queue);
      moving = queue->state.tailing(limits::kChunkMessages);
      written = queue->chunks.last_group(engine_.pipeline);
    }
    if (moving.empty()) return last;
    const ChunkLoader::LoadedChunks chunks = engine_.chunk_loader.load_each(queue->id, moving, written, last);
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    const Timestamp time = engine_.now();
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const Seq seq = moving[i].seq();
      if (!queue->state.of(seq).window().is_tailing(seq)) continue;
      if (!chunks[i]) {
        queue->state.of(seq).keep_place(seq);
      } else if (queue->state.of(seq).window().due_of(seq) > time) {
        queue->spill(moving[i], (*chunks[i])->message(moving[i].index));
      } else {
        queue->move_to_tail(moving[i], (*chunks[i])->message(moving[i].index));
      }
    }
    last = engine_.pipeline.join(queue, Durability::kBuffered);
    dispatcher_.after_change(queue, time);
  }
}

Result<void> ScheduleMover::enter_due(const std::shared_ptr<Queue>& queue) {
  // What a step reads must not hold rows that an earlier step removed. So one step runs at a time, and
  // commits before the next one begins.
  const sync::Lock one_step(queue->schedule_mutex);
  const Present now(engine_.clock);
  std::vector<SchedulePlace> from;
  GroupNumber written{};
  {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    if (queue->deleted()) return {};
    from = begin_reading(queue->state.scheduled(), now);
    if (from.empty()) return {};
    written = queue->schedule_writes.last_group(engine_.pipeline);
  }
  const auto committed = engine_.pipeline.wait(written);
  const auto due = committed ? read_due(*engine_.store, queue->id, from, now)
                             : Result<DueRows>(tl::unexpected(committed.error()));
  GroupNumber group{};
  {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    if (queue->deleted()) return {};
    Schedule& scheduled = queue->state.scheduled();
    if (!due) {
      for (const SchedulePlace& place : from) {
        scheduled.expect(place);
        scheduled.pause_until(now.engine + EngineContext::kPauseAfterError, place.what);
      }
      dispatcher_.after_change(queue, engine_.now());  // the look may have taken its time
      return tl::unexpected(due.error());
    }
    for (const SchedulePlace& place : due->next) scheduled.expect(place);
    for (const DueRow& row : due->rows) queue->enter(row.place, *row.chunk);
    group = engine_.pipeline.join(queue, Durability::kBuffered);
    dispatcher_.after_change(queue, engine_.now());  // the look may have taken its time
  }
  return engine_.pipeline.wait(group);
}

Timestamp ScheduleMover::follow_wall_clock(Timestamp time) {
  constexpr Duration kClose = std::chrono::milliseconds(1);
  constexpr Duration kLookEvery = std::chrono::seconds(1);
  const Duration off = engine_.clock.wall() - time;
  if (off > -kClose && off < kClose) return Timestamp::max();
  for (const auto& queue : engine_.catalog.all()) {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    if (queue->deleted()) continue;
    engine_.scheduler.schedule(queue, queue->next_visible());
  }
  return time + kLookEvery;
}

}  // namespace holdfast
