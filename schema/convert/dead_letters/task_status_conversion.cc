// Converts the status of redrive tasks. A state or an action that this version does not know is an error,
// since a client that waits for a task could not tell whether it is over.
#include "holdfast/limits.h"
#include "schema/convert/dead_letters/redrive_conversion.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/enums.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/list.h"

namespace holdfast::convert {
namespace {

wire::TaskState to_wire(TaskState from) {
  switch (from) {
    case TaskState::kRunning:
      return wire::TaskState::RUNNING;
    case TaskState::kDone:
      return wire::TaskState::DONE;
    case TaskState::kCancelled:
      return wire::TaskState::CANCELLED;
    case TaskState::kFailed:
      return wire::TaskState::FAILED;
    case TaskState::kInterrupted:
      return wire::TaskState::INTERRUPTED;
    case TaskState::kCanaryFailed:
      return wire::TaskState::CANARY_FAILED;
  }
  return wire::TaskState::UNKNOWN;
}

Result<TaskState> read(wire::TaskState from) {
  switch (from) {
    case wire::TaskState::RUNNING:
      return TaskState::kRunning;
    case wire::TaskState::DONE:
      return TaskState::kDone;
    case wire::TaskState::CANCELLED:
      return TaskState::kCancelled;
    case wire::TaskState::FAILED:
      return TaskState::kFailed;
    case wire::TaskState::INTERRUPTED:
      return TaskState::kInterrupted;
    case wire::TaskState::CANARY_FAILED:
      return TaskState::kCanaryFailed;
    default:
      return fail(ErrorCode::kInternal,
                  "the server answered with a task state that this client does not know: " +
                      std::to_string(static_cast<unsigned>(from)));
  }
}

Result<RedriveAction> known_action(wire::RedriveAction from) {
  if (from <= wire::RedriveAction::PARK) return static_cast<RedriveAction>(from);
  return fail(ErrorCode::kInternal,
              "the server answered with a redrive action that this client does not know: " +
                  std::to_string(static_cast<unsigned>(from)));
}

void write(const ReplayCounts& from, wire::ReplayCounts::Builder to) {
  to.setAcked(from.acked);
  to.setDiedAgain(from.died_again);
  to.setDiedElsewhere(from.died_elsewhere);
  to.setDropped(from.dropped);
}

ReplayCounts read(wire::ReplayCounts::Reader from) {
  return {.acked = from.getAcked(),
          .died_again = from.getDiedAgain(),
          .died_elsewhere = from.getDiedElsewhere(),
          .dropped = from.getDropped()};
}

void write(const TaskStatus& from, wire::TaskStatus::Builder to) {
  to.setTask(static_cast<std::uint64_t>(from.id));
  to.setAction(same_number<wire::RedriveAction>(from.action));
  to.setQueue(as_text(from.queue));
  to.setTo(as_text(from.to));
  to.setState(to_wire(from.state));
  to.setMoved(from.moved);
  to.setParked(from.parked);
  convert::write(from.left, to.initLeft());
  to.setTotal(from.total);
  to.setStartedAtMicros(micros(from.started_at));
  to.setFinishedAtMicros(micros(from.finished_at));
  to.setActor(as_text(from.actor));
  to.setCancelledBy(as_text(from.cancelled_by));
  to.setError(as_text(from.error));
  to.setCanaries(from.canaries);
  to.setCanaryAcked(from.canary_acked);
  to.setCanaryFailed(from.canary_failed);
  to.setRate(from.rate);
  write(from.outcomes, to.initOutcomes());
}

Result<TaskStatus> read(wire::TaskStatus::Reader from) {
  const auto state = read(from.getState());
  if (!state) return tl::unexpected(state.error());
  const auto action = known_action(from.getAction());
  if (!action) return tl::unexpected(action.error());
  return TaskStatus{.id = TaskId(from.getTask()),
                    .action = *action,
                    .queue = string(from.getQueue()),
                    .to = string(from.getTo()),
                    .state = *state,
                    .moved = from.getMoved(),
                    .parked = from.getParked(),
                    .left = convert::read(from.getLeft()),
                    .total = from.getTotal(),
                    .canaries = from.getCanaries(),
                    .canary_acked = from.getCanaryAcked(),
                    .canary_failed = from.getCanaryFailed(),
                    .rate = from.getRate(),
                    .outcomes = read(from.getOutcomes()),
                    .started_at = timestamp(from.getStartedAtMicros()),
                    .finished_at = timestamp(from.getFinishedAtMicros()),
                    .actor = string(from.getActor()),
                    .cancelled_by = string(from.getCancelledBy()),
                    .error = string(from.getError())};
}

}  // namespace

void write(const Result<TaskStatus>& from, wire::TaskReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  write(*from, to.initStatus());
}

Result<TaskStatus> read(wire::TaskReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  return read(from.getStatus());
}

void write(const Result<std::vector<TaskStatus>>& from, wire::ListRedrivesReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto tasks = to.initTasks(static_cast<unsigned>(from->size()));
  for (unsigned i = 0; i < tasks.size(); ++i) write((*from)[i], tasks[i]);
}

Result<std::vector<TaskStatus>> read(wire::ListRedrivesReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  std::vector<TaskStatus> statuses;
  for (auto task : at_most(limits::kListPage, from.getTasks())) {
    auto status = read(task);
    if (!status) return tl::unexpected(status.error());
    statuses.push_back(std::move(*status));
  }
  return statuses;
}

}  // namespace holdfast::convert
