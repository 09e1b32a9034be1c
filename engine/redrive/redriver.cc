#include "engine/redrive/redriver.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/validation/validate.h"
#include "engine/dead_letters/index/dead_letter_walk.h"
#include "engine/redrive/dry_run.h"
#include "engine/redrive/edit.h"
#include "engine/sync/mutex.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

tl::unexpected<Error> no_task(TaskId id) {
  return fail(ErrorCode::kTaskNotFound, "there is no task " + std::to_string(static_cast<std::uint64_t>(id)) +
                                            ", or it ended long ago");
}

// Parked dead letters are for people.
Result<void> check_parked_in(EngineContext& engine, const RedriveOptions& options) {
  if (options.action != RedriveAction::kPark || options.to.empty()) return {};
  const auto target = engine.catalog.find(options.to);
  if (!target) return tl::unexpected(target.error());
  const LockedQueue locked(engine.pipeline.gate(), **target);
  if ((*target)->options().dead_letters.auto_redrive.every == Duration{0}) return {};
  return fail(
      ErrorCode::kInvalidArgument,
      "options.to: queue '" + options.to + "' has auto_redrive, and nothing that is parked moves by itself");
}

// Returns the id of the queue that everything goes to; 0 if each message goes to where it came from.
Result<QueueId> find_target(const Catalog& catalog, const Queue& from, const RedriveOptions& options)
    HOLDFAST_REQUIRES(from.mutex) {
  const std::string& to = options.to;
  if (to.empty() && options.action == RedriveAction::kPark) {
    if (const auto& parking = from.targets().parking) return parking->id;
    return fail(ErrorCode::kInvalidArgument,
                "queue '" + from.name + "' has no parking_queue, and options.to names none");
  }
  if (to.empty()) return QueueId{};
  auto target = catalog.find(to);
  if (!target) return tl::unexpected(target.error());
  if ((*target)->id == from.id) return fail(ErrorCode::kInvalidArgument, "options.to is the queue itself");
  return (*target)->id;
}

Result<void> validate_all(const RedriveOptions& options) {
  if (auto ok = validate(options); !ok) return ok;
  if (auto ok = validate(options.filter); !ok) return ok;
  if (auto edit = MessageEdit::make(options.edit); !edit) return tl::unexpected(edit.error());
  if (options.action == RedriveAction::kPark &&
      (!options.edit.empty() || options.max_replays != 0 || options.canary != 0)) {
    return fail(ErrorCode::kInvalidArgument, "parking takes no edit, no max_replays and no canary");
  }
  return {};
}

// Refuses what makes a task pause if the call moves the messages itself.
Result<void> check_wait(const RedriveOptions& options) {
  if (options.dry_run || !options.wait) return {};
  const auto refuse = [](std::string_view option) {
    return fail(ErrorCode::kInvalidArgument,
                std::string(option) + ": only a task that the call does not wait for can pause");
  };
  if (options.rate != 0) return refuse("rate");
  if (options.canary != 0 && options.action == RedriveAction::kRedrive) return refuse("canary");
  return {};
}

// Brings options into the form in which calls are compared and kept.
void normalize(RedriveOptions& options) {
  auto& seqs = options.filter.seqs;
  std::ranges::sort(seqs);
  seqs.erase(std::unique(seqs.begin(), seqs.end()), seqs.end());
  // The filter never means history. Its flag makes no call a different one, and the row of the task does not
  // keep it.
  options.filter.history = false;
}

std::string name_of(const RedriveJob& job) {
  return "task " + std::to_string(static_cast<std::uint64_t>(job.id));
}

tl::unexpected<Error> cut_short(const RedriveJob& job) {
  if (job.transform) {
    return fail(ErrorCode::kOutcomeUnknown,
                "the engine is closing; " + name_of(job) + " ends with it, since its function does");
  }
  // A repetition finds the task by its request id; without one it would be another.
  return fail(job.request_id.empty() ? ErrorCode::kOutcomeUnknown : ErrorCode::kClosed,
              "the engine is closing; " + name_of(job) + " goes on when it is opened again");
}

// Turns an error of a call that waits into one that does not say that nothing was done: there is a task.
tl::unexpected<Error> goes_on_later(const RedriveJob& job, const Error& why) {
  if (why.code == ErrorCode::kStorageFailed) return tl::unexpected(why);  // this error says so itself
  const bool for_space = why.code == ErrorCode::kDiskFull;
  return fail(ErrorCode::kOutcomeUnknown, name_of(job) + " was started, and continues " +
                                              (for_space ? "when there is space" : "later") + ": " +
                                              to_string(why));
}

Result<Redriven> outcome(RedriveJob& job) {
  const sync::Lock lock(job.step_mutex);
  const bool interrupted = job.task.state == TaskState::kInterrupted;
  if (job.task.state != TaskState::kFailed && !interrupted) {
    return Redriven{
        .task = job.id, .moved = job.task.moved, .parked = job.task.parked, .left = job.task.left};
  }
  return fail(ErrorCode::kOutcomeUnknown,
              name_of(job) + (interrupted ? " was interrupted after " : " failed after ") +
                  std::to_string(job.task.moved + job.task.parked) + " had moved" +
                  (interrupted ? ", since its function ended with its process" : ": " + job.task.error));
}

}  // namespace

Result<RedriveTask> Redriver::make_task(RedriveTask asked) {
  if (auto ok = validate_all(asked.options); !ok) return tl::unexpected(ok.error());
  normalize(asked.options);
  RedriveTask task = std::move(asked);
  auto queue = engine_.catalog.find(task.queue_name);
  if (!queue) return tl::unexpected(queue.error());
  const auto matching = most_matches(*engine_.store, (*queue)->id, task.options.filter);
  if (!matching) return tl::unexpected(matching.error());
  task.queue = (*queue)->id;
  if (auto ok = check_parked_in(engine_, task.options); !ok) return tl::unexpected(ok.error());
  const LockedQueue locked(engine_.pipeline.gate(), **queue);
  auto target = find_target(engine_.catalog, **queue, task.options);
  if (!target) return tl::unexpected(target.error());
  if (task.options.park_refused && !(*queue)->targets().parking) {
    return fail(ErrorCode::kInvalidArgument,
                "park_refused: queue '" + task.queue_name + "' has no parking_queue");
  }
  task.target = *target;
  task.end = (*queue)->state.next_seq();
  const auto& seqs = task.options.filter.seqs;
  task.total = seqs.empty() ? (*queue)->state.counts().dead : seqs.size();
  if (*matching) task.total = std::min(task.total, **matching);
  if (task.options.max != 0) task.total = std::min(task.total, task.options.max);
  task.started_at = engine_.now();
  return task;
}

Result<void> Redriver::check_selection(const RedriveTask& task) const {
  DeadLetterFilter named{.ids = task.options.filter.ids, .seqs = task.options.filter.seqs};
  if (named.empty()) return {};
  for (const bool history : {false, true}) {
    named.history = history;
    bool found = false;
    const auto look = [&](const DeadLetterCursor&, DeadLetterRow&) {
      found = true;
      return Walk::kStop;
    };
    if (auto rest = walk_dead_letters(*engine_.store, task.queue, named, {}, look); !rest)
      return tl::unexpected(rest.error());
    if (found && !history) return {};
    if (found) {
      return fail(ErrorCode::kMessageNotFound,
                  "the dead letter in '" + task.queue_name + "' is history: it was taken out before");
    }
  }
  return fail(ErrorCode::kMessageNotFound, "no such dead letter in '" + task.queue_name + "'");
}

Result<std::shared_ptr<RedriveJob>> Redriver::started_before(const HeldRequest& request,
                                                             const RedriveTask& asked) {
  const auto content = content_of(asked);
  if (auto job = engine_.tasks.find_request(asked.options.request_id)) {
    const sync::Lock lock(job->step_mutex);
    if (content_of(job->task) == content) return job;
    return fail(ErrorCode::kInvalidArgument, "the request_id was used for a call with other content");
  }
  // The answer is looked for after the task, because whatever forgets a task records its answer first.
  request.begin(content, engine_.clock.stored_now());
  const auto answer = request.answered();
  if (!answer) return tl::unexpected(answer.error());
  if (!*answer) return nullptr;
  return ended_job(**answer, engine_.now());
}

Result<std::shared_ptr<RedriveJob>> Redriver::start_task(RedriveTask asked, RedriveTransform transform) {
  if (auto ok = validate_all(asked.options); !ok) return tl::unexpected(ok.error());
  normalize(asked.options);
  const bool driven = asked.options.wait;
  // The request id is held until the task is known.
  const auto request = engine_.requests.take(asked.options.request_id);
  if (!request) return tl::unexpected(request.error());
  if (*request) {
    auto earlier = started_before(*request, asked);
    if (!earlier || *earlier) return earlier;
  }
  auto made = make_task(std::move(asked));
  if (!made) return tl::unexpected(made.error());
  RedriveTask& task = *made;
  if (auto ok = check_selection(task); !ok) return tl::unexpected(ok.error());
  // The task writes every message again before the space of the old one returns.
  if (auto admitted = engine_.space.admit(0); !admitted) return tl::unexpected(admitted.error());
  auto starting = engine_.tasks.start_one();
  if (!starting) {
    return fail(ErrorCode::kLimitExceeded,
                std::to_string(limits::kRunningTasks) + " redrive tasks are running, which is the limit");
  }
  task.transforms = transform != nullptr;
  TaskId id{};
  GroupNumber group{};
  {
    const sync::Lock catalog_lock(engine_.catalog_mutex);
    id = TaskId{engine_.allocation.next_task_id++};
    const Gate::Pass pass(engine_.pipeline.gate());
    engine_.pipeline.join_row(Family::kCatalog, std::string(keys::kAllocationRow),
                              encode_allocation_row(engine_.allocation), Durability::kFsync);
    group = engine_.pipeline.join_row(Family::kRedriveTasks, keys::task(id), encode_redrive_task(task),
                                      Durability::kFsync);
  }
  // Everything that was dead when the task was made is committed with this group or an earlier one.
  if (auto ok = engine_.pipeline.wait(group); !ok) return tl::unexpected(ok.error());
  auto job = std::make_shared<RedriveJob>(id, std::move(task), engine_.now());
  job->transform = std::move(transform);
  job->driven = driven;
  engine_.catalog.replay_tallies().add(id);
  engine_.tasks.add(job, std::move(starting));
  engine_.scheduler.wake();
  return job;
}

Result<Redriven> Redriver::redrive(std::string_view queue_name, RedriveOptions options,
                                   RedriveTransform transform, const std::atomic<bool>& cancelled) {
  if (transform && options.action == RedriveAction::kPark)
    return fail(ErrorCode::kInvalidArgument, "parking takes no function");
  if (auto ok = check_wait(options); !ok) return tl::unexpected(ok.error());
  const bool waits = options.wait;
  const bool moves = !options.dry_run;
  const std::string actor = options.actor;
  RedriveTask asked{.queue_name = std::string(queue_name), .options = std::move(options)};
  if (!moves) {
    auto task = make_task(std::move(asked));
    if (!task) return tl::unexpected(task.error());
    if (auto ok = check_selection(*task); !ok) return tl::unexpected(ok.error());
    return dry_run(engine_, *std::move(task), std::move(transform));
  }
  auto job = start_task(std::move(asked), std::move(transform));
  if (!job) return tl::unexpected(job.error());
  return waits ? drive(**job, actor, cancelled) : so_far(**job);
}

Result<Redriven> Redriver::drive(RedriveJob& job, const std::string& actor,
                                 const std::atomic<bool>& cancelled) {
  for (;;) {
    if (engine_.closing) return cut_short(job);
    if (cancelled) {
      if (auto ok = cancel_task(job, actor); !ok) return tl::unexpected(ok.error());
    }
    auto next = task_stepper_.step_task(job);
    if (!next) {
      job.driven = false;
      engine_.scheduler.wake();
      return goes_on_later(job, next.error());
    }
    if (*next == Timestamp::max()) return outcome(job);
  }
}

Redriven Redriver::so_far(const RedriveJob& job) const {
  if (const auto status = engine_.tasks.status(job.id))
    return {.task = job.id, .moved = status->moved, .parked = status->parked, .left = status->left};
  const RedriveTask& task = job.ended_task();
  return {.task = job.id, .moved = task.moved, .parked = task.parked, .left = task.left};
}

Result<void> Redriver::cancel_task(RedriveJob& job, const std::string& actor) {
  const sync::Lock lock(job.step_mutex);
  if (job.task.state != TaskState::kRunning) return {};
  return task_stepper_.end_task(job, TaskState::kCancelled, std::nullopt, actor);
}

Engine::CallToken Redriver::post(std::string_view queue_name, RedriveOptions options,
                                 Callback<Redriven> done) {
  const auto run = [this](const std::string& queue, const RedriveOptions& asked,
                          const std::atomic<bool>& cancelled) -> Result<Redriven> {
    const auto call = engine_.calls.begin();
    if (!call) return tl::unexpected(call.error());
    return redrive(queue, asked, {}, cancelled);
  };
  return {engine_.call_pool.post(
      [run, queue = std::string(queue_name), options = std::move(options), done = std::move(done)](
          const Result<void>& begins, const std::atomic<bool>& cancelled) {
        done(begins ? run(queue, options, cancelled) : Result<Redriven>(tl::unexpected(begins.error())));
      })};
}

Result<TaskStatus> Redriver::task_status(TaskId id) const {
  auto status = engine_.tasks.status(id);
  if (!status) return no_task(id);
  status->outcomes = engine_.catalog.replay_tallies().of(id);
  return std::move(*status);
}

}  // namespace holdfast
