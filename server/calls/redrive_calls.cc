// Answers calls about redrives. A task may be seen and cancelled by those who may operate its queue. For
// others it does not exist.
#include <array>

#include "schema/convert/dead_letters/redrive_conversion.h"
#include "server/calls/answer.h"
#include "server/calls/methods.h"
#include "server/calls/read_request.h"
#include "server/calls/refused_repetition.h"

namespace holdfast::server {
namespace {

bool may_operate(const Caller& caller, const TaskStatus& task) {
  return !caller.rights() || caller.rights()->allow(Right::kOperate, task.queue);
}

// Returns the status of a task of a queue that the caller may operate. kTaskNotFound for tasks of other
// queues too.
Result<TaskStatus> task_of(const Caller& caller, TaskId id) {
  auto status = caller.state().engine.redrive_status(id);
  if (!status || may_operate(caller, *status)) return status;
  return fail(ErrorCode::kTaskNotFound, "there is no task " + std::to_string(static_cast<std::uint64_t>(id)) +
                                            ", or it ended long ago");
}

kj::Promise<void> redrive(Call<wire::RedriveRequest, wire::RedriveReply> call) {
  auto asked = read_request(call);
  if (!asked) return answer_now<Result<Redriven>>(call, tl::unexpected(asked.error()));
  RedriveOptions& options = asked->options;
  if (auto ok = call->caller().check_edit(options.edit); !ok) {
    return answer_blocking<Result<Redriven>>(
        call,
        [&engine = call->engine(), id = options.request_id, refusal = ok.error()]() -> Result<Redriven> {
          return tl::unexpected(of_repetition(engine, id, refusal).value_or(refusal));
        });
  }
  if (options.dry_run) call->note_that_it_only_looks();
  const bool waits = options.wait && !options.dry_run;
  // The name is copied, since it points into the parameters, which are gone when the work runs.
  auto work = [&engine = call->engine(), queue = std::string(asked->queue), options = std::move(options)] {
    return engine.redrive(queue, options);
  };
  if (waits) return answer_lengthy<Result<Redriven>>(call, std::move(work));
  return answer_blocking<Result<Redriven>>(call, std::move(work));
}

kj::Promise<void> redrive_status(Call<wire::TaskRequest, wire::TaskReply> call) {
  return answer_now<Result<TaskStatus>>(call, task_of(call->caller(), read_request(call)));
}

kj::Promise<void> list_redrives(Call<wire::ListRedrivesRequest, wire::ListRedrivesReply> call) {
  auto tasks = call->engine().list_redrives();
  if (tasks)
    std::erase_if(*tasks, [&](const TaskStatus& task) { return !may_operate(call->caller(), task); });
  return answer_now<Result<std::vector<TaskStatus>>>(call, tasks);
}

kj::Promise<void> cancel_redrive(Call<wire::CancelRedriveRequest, wire::TaskReply> call) {
  auto asked = read_request(call);
  if (auto task = task_of(call->caller(), asked.task); !task)
    return answer_now<Result<TaskStatus>>(call, task);
  return answer_blocking<Result<TaskStatus>>(call, [&engine = call->engine(), asked = std::move(asked)] {
    return engine.cancel_redrive(asked.task, asked.actor);
  });
}

}  // namespace

std::span<const Method> redrive_methods() {
  static const std::array methods = {
      // The answer to a dry run shows what is stored, without what is hidden from the caller.
      method<redrive>("redrive", {Need::kQueues, Right::kOperate, Content::kRedacted}),
      // These calls see only tasks of queues that the caller may operate.
      method<redrive_status>("redriveStatus", {Need::kAny, {}, Content::kNone}),
      method<list_redrives>("listRedrives", {Need::kAny, {}, Content::kNone}, {.shows_what_is_stored = true}),
      method<cancel_redrive>("cancelRedrive", {Need::kAny, {}, Content::kNone}),
  };
  return methods;
}

}  // namespace holdfast::server
