#include "engine/redrive/task_stepper.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/helpers/audit.h"
#include "engine/base/helpers/saturating.h"
#include "engine/core/seq_math.h"
#include "engine/dead_letters/index/dead_letter_view.h"
#include "engine/redrive/plan.h"

namespace holdfast {
namespace {

// Moves pieces of a plan. All queues of the step are locked.
class Mover {
 public:
  Mover(RedriveTask& task, TaskId id, Timestamp time) : task_(task), id_(id), time_(time) {}

  // Moves what a piece has picked in the queue `from`.
  void move(Queue& from, Piece& piece) HOLDFAST_REQUIRES(from.mutex) {
    const bool all = piece.picks.size() == piece.span.count && std::ranges::all_of(piece.picks, has_target);
    if (all && from.state.of(piece.span.first).remove_untouched(piece.span)) {
      for (Pick& pick : piece.picks) append(from, piece, pick);
      return;
    }
    // All picks are checked before any of them moves. Once the last message of a chunk has left, the chunk is
    // forgotten, and messages that left earlier would look as if nobody had touched them.
    std::vector<ReceiptCheck> checks;
    checks.reserve(piece.picks.size());
    const ChunkLog& log = from.state.of(piece.span.first).log();
    for (const Pick& pick : piece.picks) checks.push_back(log.check_free(piece.span.first + pick.index));
    for (std::size_t i = 0; i < piece.picks.size(); ++i) {
      Pick& pick = piece.picks[i];
      const Seq seq = piece.span.first + pick.index;
      if (!moves(pick, checks[i], task_.left)) continue;
      append(from, piece, pick);
      from.state.of(seq).remove(seq, piece.span);
    }
  }

 private:
  void append(Queue& from, const Piece& piece, Pick& pick) HOLDFAST_REQUIRES(from.mutex) {
    // LockedQueues has locked the target, and the analysis cannot look into it.
    assert_locked(pick.target);
    const MessageView& message = pick.message;
    const Seq seq = piece.span.first + pick.index;
    if (pick.parked) {
      add_audit(pick.parked->triage, {time_, task_.options.actor, "parked in " + pick.target->name});
      pick.target->append_dead_letter(message, message.lineage, std::move(*pick.parked),
                                      std::move(pick.original));
      pick.target->arrivals.add_parked(time_);
      from.journal.record_move(message.id, pick.target->journal,
                               {.at = time_, .kind = StepKind::kParked, .seq = seq});
      ++from.state.totals().parked;
      ++task_.parked;
      return;
    }
    Lineage lineage = message.lineage;
    lineage.replays = one_more(lineage.replays);
    lineage.origin_queue = {};
    lineage.origin_seq = {};
    lineage.record_queue = from.id;
    lineage.record_seq = seq;
    if (pick.edited) {
      pick.target->append_edited(message, *pick.edited, lineage, time_);
    } else {
      pick.target->append_copy(message, lineage, time_);
    }
    from.journal.record_move(message.id, pick.target->journal,
                             {.at = time_, .kind = StepKind::kRedriven, .seq = seq});
    keep_record(from, seq, pick);
    if (task_.canaries.size() < task_.options.canary) task_.canaries.push_back(seq);
    ++from.state.totals().redriven;
    ++task_.moved;
  }

  // Keeps the record as history until it is known what becomes of the message, and for a time after that.
  void keep_record(Queue& from, Seq seq, Pick& pick) HOLDFAST_REQUIRES(from.mutex) {
    Triage triage = pick.record->triage();
    triage.status = DeadLetterStatus::kReplayed;
    triage.status_since = time_;
    add_audit(triage, {time_, task_.options.actor, "redriven to " + pick.target->name});
    from.dead_letters.replay(seq, std::move(pick.record), std::move(triage), std::move(pick.original), id_);
  }

  RedriveTask& task_;
  const TaskId id_;  // 0 if a policy moves them
  const Timestamp time_;
};

// Returns the queue if it is there, and null if it was deleted.
std::shared_ptr<Queue> queue_of(EngineContext& engine, QueueId id) {
  auto queue = engine.catalog.find(id);
  if (!queue) return nullptr;
  const LockedQueue locked(engine.pipeline.gate(), *queue);
  return queue->deleted() ? nullptr : queue;
}

std::shared_ptr<Queue> parking_queue_of(CommitPipeline& pipeline, Queue& queue) {
  const LockedQueue locked(pipeline.gate(), queue);
  return queue.targets().parking;
}

// A task looks this often whether the outcomes that it waits for are there.
constexpr Duration kCanaryPause = std::chrono::seconds(1);

void end(RedriveTask& task, TaskState state, Timestamp time) {
  task.state = state;
  task.finished_at = time;
}

// Returns whether the canaries have still to show what becomes of them, before the rest moves.
bool in_canary(const RedriveTask& task) { return task.options.canary != 0 && !task.canary_passed; }

// Returns how many more messages the task's own bound lets move.
std::uint64_t room(const RedriveTask& task) {
  return task.options.max == 0 ? UINT64_MAX
                               : task.options.max - std::min(task.options.max, task.moved + task.parked);
}

bool all_moved(const RedriveTask& task) { return task.cursor == task.end || room(task) == 0; }

bool canaries_sent(const RedriveTask& task) {
  return task.canaries.size() >= task.options.canary || all_moved(task);
}

enum class Canary : std::uint8_t { kWaiting, kPassed, kFailed };

// Counts what became of the canaries, and returns what follows from that.
Result<Canary> judge_canary(const Store& store, RedriveTask& task) {
  task.canary_acked = 0;
  task.canary_failed = 0;
  for (const Seq seq : task.canaries) {
    auto row = store.get(Family::kHistory, keys::dead_letter(task.queue, {.history = true, .seq = seq}));
    if (!row) return tl::unexpected(row.error());
    const auto replay = read_replay(store, task.queue, seq);
    if (!replay) return tl::unexpected(replay.error());
    const bool is_lost = std::ranges::find(task.canaries_lost, seq) != task.canaries_lost.end();
    if (replay->outcome == ReplayOutcome::kAcked) {
      ++task.canary_acked;
    } else if (!row->has_value() || replay->outcome != ReplayOutcome::kPending || is_lost) {
      ++task.canary_failed;  // without a record it died again, or nobody will ever know
    }
  }
  const std::uint64_t sent = task.canaries.size();
  const std::uint64_t needed = (sent * task.options.canary_percent + 99) / 100;
  if (task.canary_acked >= needed) return Canary::kPassed;
  return task.canary_failed > sent - needed ? Canary::kFailed : Canary::kWaiting;
}

}  // namespace

Result<void> TaskStepper::end_task(RedriveJob& job, TaskState state, std::optional<Error> failure,
                                   std::string cancelled_by) {
  RedriveTask task = job.task;
  end(task, state, engine_.now());
  task.cancelled_by = std::move(cancelled_by);
  if (failure) task.error = to_string(*failure);
  GroupNumber group{};
  {
    const Gate::Pass pass(engine_.pipeline.gate());
    group = engine_.pipeline.join_row(Family::kRedriveTasks, keys::task(job.id), encode_redrive_task(task),
                                      Durability::kFsync);
  }
  if (auto ok = engine_.pipeline.wait(group); !ok) return ok;
  job.task = std::move(task);
  engine_.tasks.publish(job);
  return forget_old_tasks();
}

// Forgets tasks that ended long ago. From then on, the answer to a request id that began a task is remembered
// together with those of other verbs. The answer is kept before the task is forgotten, so a repetition finds
// one or the other.
Result<void> TaskStepper::forget_old_tasks() {
  const auto forgotten = engine_.tasks.surplus();
  if (forgotten.empty()) return {};
  const Timestamp time = engine_.clock.stored_now();
  GroupNumber group{};
  {
    const Gate::Pass pass(engine_.pipeline.gate());
    for (const auto& job : forgotten) {
      if (!job->request_id.empty())
        engine_.requests.keep(job->request_id, answer_of(*job), time, Durability::kBuffered);
      engine_.catalog.replay_tallies().forget(job->id);
      engine_.pipeline.join_row(Family::kRedriveTasks, keys::task_outcomes(job->id), std::nullopt,
                                Durability::kBuffered);
      group = engine_.pipeline.join_row(Family::kRedriveTasks, keys::task(job->id), std::nullopt,
                                        Durability::kBuffered);
    }
  }
  if (auto ok = engine_.pipeline.wait(group); !ok) return ok;
  engine_.tasks.forget(forgotten);
  return {};
}

Result<bool> TaskStepper::look_at_canary(RedriveJob& job) {
  RedriveTask task = job.task;
  const auto verdict = judge_canary(*engine_.store, task);
  if (!verdict) return tl::unexpected(verdict.error());
  if (*verdict == Canary::kWaiting && task.canary_acked == job.task.canary_acked &&
      task.canary_failed == job.task.canary_failed) {
    return false;
  }
  task.canary_passed = *verdict == Canary::kPassed;
  job.task = std::move(task);
  if (*verdict == Canary::kFailed) {
    if (auto ok = end_task(job, TaskState::kCanaryFailed, std::nullopt); !ok)
      return tl::unexpected(ok.error());
    return false;
  }
  engine_.tasks.publish(job);
  return job.task.canary_passed;
}

Result<Timestamp> TaskStepper::step_task(RedriveJob& job) {
  const sync::Lock one_step(job.step_mutex);
  if (job.task.state != TaskState::kRunning) return Timestamp::max();
  const auto gone = [&](const std::string& what) HOLDFAST_REQUIRES(job.step_mutex) -> Result<Timestamp> {
    auto ok = end_task(job, TaskState::kFailed, Error{ErrorCode::kQueueNotFound, what + " was deleted"});
    if (!ok) return tl::unexpected(ok.error());
    return Timestamp::max();
  };
  const auto from = queue_of(engine_, job.task.queue);
  if (!from) return gone("the queue");
  if (job.task.target != QueueId{} && !queue_of(engine_, job.task.target)) return gone("the target queue");

  if (in_canary(job.task) && canaries_sent(job.task)) {
    auto verdict = look_at_canary(job);
    if (!verdict) return tl::unexpected(verdict.error());
    if (job.task.state != TaskState::kRunning) return Timestamp::max();
    if (!*verdict) return engine_.now() + kCanaryPause;
  }
  std::uint64_t most = room(job.task);
  if (in_canary(job.task)) most = std::min(most, job.task.options.canary - job.task.canaries.size());
  // If the task's own bound leaves no room, the step only ends the task, and the rate would have it wait for
  // nothing.
  if (most > 0 && job.rate_limit.limits()) {
    most = std::min(most, job.rate_limit.available(engine_.now()));
    if (most == 0) return job.rate_limit.next();
  }
  return move_some(job, from, most);
}

Result<Timestamp> TaskStepper::move_some(RedriveJob& job, const std::shared_ptr<Queue>& from,
                                         std::uint64_t most) {
  // What a step reads must hold everything that earlier steps moved, because a message past the cursor that
  // is gone looks like one that was never touched. So one step of a queue is made at a time, and commits
  // before the next one begins.
  const sync::Lock one_of_queue(from->records_mutex);
  auto plan = plan_step(engine_, job, *from, most);
  if (!plan) {
    if (auto ok = end_task(job, TaskState::kFailed, plan.error()); !ok) return tl::unexpected(ok.error());
    return Timestamp::max();
  }
  SpaceWatch::Claim claim;
  if (plan->moves > 0) {
    // The step writes every message again before the space of the old one returns.
    auto admitted = engine_.space.admit(plan->bytes);
    if (!admitted) return tl::unexpected(admitted.error());
    claim = std::move(*admitted);
  }
  RedriveTask task = job.task;
  if (auto ok = commit_step(job.id, from, *plan, task); !ok) return tl::unexpected(ok.error());
  if (plan->moves > 0) plan_retention(from, task);
  job.rate_limit.take(plan->moves);
  job.task = std::move(task);
  engine_.tasks.publish(job);
  if (job.task.state == TaskState::kRunning) return engine_.now();
  if (auto ok = forget_old_tasks(); !ok) return tl::unexpected(ok.error());
  return Timestamp::max();
}

// The records that stay are removed by retention one day, and those that were parked may be.
void TaskStepper::plan_retention(const std::shared_ptr<Queue>& from, const RedriveTask& task) {
  retention_.plan(from);
  const bool parks = task.options.action == RedriveAction::kPark;
  if (const auto parked_in = engine_.catalog.find(task.target); parked_in && parks)
    retention_.plan(parked_in);
  if (const auto parked_in = parking_queue_of(engine_.pipeline, *from)) retention_.plan(parked_in);
}

Result<void> TaskStepper::commit_step(std::optional<TaskId> id, const std::shared_ptr<Queue>& from,
                                      Plan& plan, RedriveTask& task,
                                      const std::function<bool()>& still_wanted) {
  // After a failed write the queue is ahead of the store, so what the plan read there may have left the
  // queue.
  if (auto ok = engine_.pipeline.healthy(); !ok) return ok;
  GroupNumber group{};
  {
    const LockedQueues locked(engine_.pipeline.gate(), plan.queues(*from));
    assert_locked(from);
    if (still_wanted && !still_wanted()) return {};
    const Timestamp time = engine_.now();
    Mover mover(task, id.value_or(TaskId{}), time);
    for (Piece& piece : plan.pieces) mover.move(*from, piece);
    task.left.abandoned += plan.abandoned;
    task.cursor = plan.cursor;
    if (all_moved(task) && !in_canary(task)) end(task, TaskState::kDone, time);
    // The fsync of the last step covers all steps before it.
    const Durability durability =
        task.state == TaskState::kRunning ? Durability::kBuffered : Durability::kFsync;
    group = engine_.pipeline.open_group();
    if (id)
      engine_.pipeline.join_row(Family::kRedriveTasks, keys::task(*id), encode_redrive_task(task),
                                durability);
    if (!plan.pieces.empty() && !from->deleted()) {
      engine_.pipeline.join(from, durability);
      dispatcher_.after_change(from, time);
    }
    for (const auto& target : plan.targets) {
      assert_locked(target);
      if (target->deleted()) continue;
      engine_.pipeline.join(target, durability);
      dispatcher_.after_change(target, time);
    }
  }
  return engine_.pipeline.wait(group);
}

Timestamp TaskStepper::run_tasks() {
  Timestamp next = Timestamp::max();
  for (const auto& job : engine_.tasks.running()) {
    if (job->driven) continue;
    if (job->rests_until.load() <= engine_.now()) {
      const auto stepped = step_task(*job);
      job->rests_until = stepped ? Timestamp{} : engine_.now() + EngineContext::kPauseAfterError;
      if (stepped) next = std::min(next, *stepped);
    }
    if (const Timestamp rests = job->rests_until; rests > Timestamp{}) next = std::min(next, rests);
  }
  return next;
}

}  // namespace holdfast
