// Bulk changes of dead letters, in bounded steps. Each step is one atomic write, so a crash leaves whole dead
// letters changed, and the same call made again changes the rest.
#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "engine/base/helpers/audit.h"
#include "engine/context/deletion.h"
#include "engine/core/seq_math.h"
#include "engine/dead_letters/index/dead_letter_walk.h"
#include "engine/dead_letters/retention.h"
#include "engine/dead_letters/triage_changes.h"
#include "engine/dispatch/dispatcher.h"
#include "engine/engine/engine_impl.h"
#include "engine/engine/engine_inside.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

constexpr std::size_t kStepRecords = 512;
constexpr std::size_t kStepExamined = 4096;
constexpr std::size_t kStepsOfAPart = 8;
constexpr std::size_t kAllSteps = std::numeric_limits<std::size_t>::max();

struct Selected {
  DeadLetterCursor place;
  DeadLetterRow row;
  ChunkSpan span = {};  // set where the change needs it
};

// Changes one dead letter. The queue is locked.
using Change = std::function<TriageChange(Queue& queue, Selected& selected, Timestamp time)>;

std::uint64_t DeadLettersChanged::*count_of(TriageChange change) {
  switch (change) {
    case TriageChange::kMade:
      return &DeadLettersChanged::changed;
    case TriageChange::kNone:
      return &DeadLettersChanged::unchanged;
    case TriageChange::kRefused:
      break;
  }
  return &DeadLettersChanged::refused;
}

// Watches for records of history that go between their reading and their change, because their message's next
// death took them over or a purge removed them. Their change would change nothing then. With the queue's
// records_mutex held, no history comes meanwhile.
class HistoryWatch {
 public:
  HistoryWatch(CommitPipeline& pipeline, Queue& queue) HOLDFAST_REQUIRES(queue.records_mutex)
      : pipeline_(pipeline), queue_(queue) {
    const LockedQueue locked(pipeline_.gate(), queue_);
    queue_.dead_letters.watch();
    before_ = queue_.dead_letters.is_cleared() ? pipeline_.open_group() : queue_.chunks.last_group(pipeline_);
  }
  ~HistoryWatch() {
    const LockedQueue locked(pipeline_.gate(), queue_);
    queue_.dead_letters.unwatch();
  }
  HistoryWatch(const HistoryWatch&) = delete;
  HistoryWatch& operator=(const HistoryWatch&) = delete;

  // Waits until records that went earlier are no longer read, and the records that took them over are.
  Result<void> wait_for_earlier_ones() const { return pipeline_.wait(before_); }

 private:
  CommitPipeline& pipeline_;
  Queue& queue_;
  GroupNumber before_{};
};

// A Bulk is a bulk call in progress.
class Bulk {
 public:
  Bulk(Engine::Impl& engine, std::shared_ptr<Queue> queue, const BulkPart& part, Change change)
      : engine_(engine), queue_(std::move(queue)), selection_(part.selection), change_(std::move(change)) {
    if (part.from) {
      next_ = part.from->after;
      end_ = part.from->end;
      return;
    }
    const LockedQueue locked(engine_.pipeline.gate(), *queue_);
    end_ = queue_->state.next_seq();
  }

  // Restricts the call to dead letters whose messages are there, and has their chunks read too.
  void need_messages() { messages_ = true; }

  // Makes at most `steps` steps, or fewer if there is nothing left to do.
  Result<BulkPartChanged> run(std::size_t steps) {
    const Result<void> made = make_steps(steps);
    // Dead letters that were abandoned now are removed by retention one day, also if a later step failed.
    engine_.retention.plan(queue_);
    if (!made) return tl::unexpected(part_way(made.error()));
    BulkPartChanged changed{.changed = done_};
    if (next_) changed.next = BulkPlace{*next_, end_};
    return changed;
  }

 private:
  Result<void> make_steps(std::size_t steps) {
    do {
      if (engine_.closing) return fail(ErrorCode::kClosed, "the engine is closing");
      last_step_ = --steps == 0;
      if (auto ok = step(); !ok) return ok;
    } while (next_ && !last_step_);
    return sync();
  }

  // Returns the error that the caller is told: most errors mean that the call had no effect. A queue that is
  // deleted took the changes with it, and a failed write may have left them.
  Error part_way(Error error) const {
    const bool no_claim = error.code == ErrorCode::kQueueNotFound || error.code == ErrorCode::kStorageFailed;
    if (selection_.dry_run || done_.changed == 0 || no_claim) return error;
    return {ErrorCode::kOutcomeUnknown,
            "the call ended part-way, and what was changed stays so: " + error.message};
  }

  // The last step may have found nothing to change, and made no fsync.
  Result<void> sync() {
    if (!unsynced_) return {};
    GroupNumber group{};
    {
      const Gate::Pass pass(engine_.pipeline.gate());
      group = engine_.pipeline.join(Durability::kFsync);
    }
    return engine_.pipeline.wait(group);
  }

  Result<void> step() {
    const sync::Lock records(queue_->records_mutex);
    const HistoryWatch watch(engine_.pipeline, *queue_);
    if (auto ok = watch.wait_for_earlier_ones(); !ok) return ok;
    auto selected = select();
    if (!selected) return tl::unexpected(selected.error());
    std::optional<GroupNumber> group;
    {
      LockedQueue locked(engine_.pipeline.gate(), *queue_);
      if (queue_->deleted()) {
        locked.unlock();
        return tl::unexpected(after_deletion(engine_.pipeline, *queue_));
      }
      const Timestamp time = engine_.now();
      const DeadLettersChanged before = done_;
      for (Selected& each : *selected) change_one(each, time);
      if (selection_.dry_run) return {};
      if (done_.changed == before.changed) {
        // What is so already may be the work of a call that has not made its fsync, and never may.
        unsynced_ |= done_.unchanged > before.unchanged &&
                     engine_.pipeline.durability_of(queue_->joined_group()) == Durability::kBuffered;
        return {};
      }
      // The fsync of the last step covers all steps before it.
      unsynced_ = next_ && !last_step_;
      group = engine_.pipeline.join(queue_, unsynced_ ? Durability::kBuffered : Durability::kFsync);
      engine_.dispatcher.after_change(queue_, time);
    }
    return engine_.pipeline.wait(*group);
  }

  void change_one(Selected& selected, Timestamp time) HOLDFAST_REQUIRES(queue_->mutex) {
    // The dead letter may have gone since it was read.
    const Seq seq = selected.place.seq;
    const bool gone = selected.place.history
                          ? queue_->dead_letters.has_gone(seq)
                          : queue_->state.of(seq).log().check_free(seq) == ReceiptCheck::kGone;
    if (gone) return;
    ++(done_.*count_of(change_(*queue_, selected, time)));
  }

  Result<std::vector<Selected>> select() {
    std::vector<Selected> selected;
    bool ended = false;
    auto rest = walk_dead_letters(*engine_.store, queue_->id, selection_.filter,
                                  {.after = next_, .examine = kStepExamined, .bytes = limits::kScannedBytes},
                                  [&](const DeadLetterCursor& place, DeadLetterRow& row) {
                                    ended = messages_ && place.history;
                                    if (ended || selected.size() == kStepRecords) return Walk::kStop;
                                    if (place.seq < end_) selected.push_back({place, std::move(row)});
                                    return Walk::kOn;
                                  });
    if (!rest) return tl::unexpected(rest.error());
    next_ = ended ? std::nullopt : *rest;
    if (!messages_) return selected;
    for (Selected& each : selected) {
      const Seq first{static_cast<std::uint64_t>(each.place.seq) - each.row.chunk_index};
      auto chunk = engine_.chunk_loader.load(queue_->id, first);
      if (!chunk && chunk.error().code != ErrorCode::kMessageNotFound) return tl::unexpected(chunk.error());
      if (chunk) each.span = (*chunk)->span_at(first);
    }
    // These were settled since the walk.
    std::erase_if(selected, [](const Selected& each) { return each.span.count == 0; });
    return selected;
  }

  Engine::Impl& engine_;
  const std::shared_ptr<Queue> queue_;
  const DeadLetterSelection& selection_;
  const Change change_;
  bool messages_ = false;
  Seq end_{};
  bool last_step_ = false;
  bool unsynced_ = false;
  std::optional<DeadLetterCursor> next_;
  DeadLettersChanged done_;
};

Result<BulkPartChanged> change_in_steps(Engine::Impl& engine, std::string_view queue_name,
                                        const BulkPart& part, const DeadLetterChanges& changes,
                                        std::size_t steps) {
  const DeadLetterSelection& selection = part.selection;
  const auto call = engine.calls.begin();
  if (!call) return tl::unexpected(call.error());
  if (auto ok = validate(selection); !ok) return tl::unexpected(ok.error());
  if (auto ok = validate(changes); !ok) return tl::unexpected(ok.error());
  auto queue = engine.catalog.find(queue_name);
  if (!queue) return tl::unexpected(queue.error());
  return Bulk(engine, *queue, part,
              [&](Queue& locked, Selected& selected, Timestamp time) HOLDFAST_REQUIRES(locked.mutex) {
                auto& [place, row, span] = selected;
                const TriageChange change = apply(row.triage, changes, selection.actor, time);
                if (change == TriageChange::kMade && !selection.dry_run)
                  locked.dead_letters.amend({place.history, place.seq}, std::move(row.triage));
                return change;
              })
      .run(steps);
}

Result<BulkPartChanged> discard_in_steps(Engine::Impl& engine, std::string_view queue_name,
                                         const BulkPart& part, std::size_t steps) {
  const DeadLetterSelection& selection = part.selection;
  const auto call = engine.calls.begin();
  if (!call) return tl::unexpected(call.error());
  if (auto ok = validate(selection); !ok) return tl::unexpected(ok.error());
  auto queue = engine.catalog.find(queue_name);
  if (!queue) return tl::unexpected(queue.error());
  Bulk bulk(engine, *queue, part,
            [&](Queue& locked, Selected& selected, Timestamp time) HOLDFAST_REQUIRES(locked.mutex) {
              auto& [place, row, span] = selected;
              if (locked.state.of(place.seq).log().check_free(place.seq) == ReceiptCheck::kStale)
                return TriageChange::kRefused;
              if (selection.dry_run) return TriageChange::kMade;
              locked.journal.record(row.record.message_id,
                                    {.at = time, .kind = StepKind::kDiscarded, .seq = place.seq});
              locked.state.of(place.seq).remove(place.seq, span);
              ++locked.state.totals().discarded;
              add_audit(row.triage, {time, selection.actor, "discarded"});
              row.triage.status = DeadLetterStatus::kAbandoned;
              row.triage.status_since = time;
              row.chunk_index = 0;
              row.has_original = false;
              locked.dead_letters.add({.history = true, .seq = place.seq}, std::move(row));
              return TriageChange::kMade;
            });
  bulk.need_messages();
  return bulk.run(steps);
}

Result<DeadLettersChanged> counts_of(Result<BulkPartChanged> part) {
  if (!part) return tl::unexpected(std::move(part).error());
  return part->changed;
}

}  // namespace

Result<DeadLettersChanged> EngineDeadLetterVerbs::change_dead_letters(std::string_view queue,
                                                                      DeadLetterSelection selection,
                                                                      DeadLetterChanges changes) {
  return counts_of(change_in_steps(*impl_, queue, {.selection = std::move(selection)}, changes, kAllSteps));
}

Result<DeadLettersChanged> EngineDeadLetterVerbs::discard_dead_letters(std::string_view queue,
                                                                       DeadLetterSelection selection) {
  return counts_of(discard_in_steps(*impl_, queue, {.selection = std::move(selection)}, kAllSteps));
}

Result<BulkPartChanged> EngineInside::change_part(Engine& engine, std::string_view queue,
                                                  const BulkPart& part, const DeadLetterChanges& changes) {
  return change_in_steps(*engine.impl_, queue, part, changes, kStepsOfAPart);
}

Result<BulkPartChanged> EngineInside::discard_part(Engine& engine, std::string_view queue,
                                                   const BulkPart& part) {
  return discard_in_steps(*engine.impl_, queue, part, kStepsOfAPart);
}

}  // namespace holdfast
