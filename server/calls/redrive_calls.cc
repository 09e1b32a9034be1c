#include "schema/convert/dead_letters/redrive.h"
#include "server/calls/answer.h"
#include "server/calls/broker_service.h"
#include "server/calls/refused_repetition.h"

namespace holdfast::server {

template <class R, class Context, class Verb>
kj::Promise<void> BrokerService::answer_redrive(Context context, Verb verb) {
  auto call = convert::read(context.getParams());
  if (!call) return answer_now<R>(*peer_, context, tl::unexpected(call.error()));
  if (auto ok = check_edit(call->options.edit); !ok) {
    return answer_blocking<R>(
        *peer_, context,
        [&engine = state_.engine, id = call->options.request_id, refusal = ok.error()]() -> R {
          return tl::unexpected(of_repetition(engine, id, refusal).value_or(refusal));
        });
  }
  call->options.actor = actor(std::move(call->options.actor));
  // Its queue's name points into the request.
  std::string queue(call->queue);
  return answer_blocking<R>(
      *peer_, context, [verb, &engine = state_.engine, queue = std::move(queue), call = std::move(*call)] {
        return verb(engine, queue, call);
      });
}

kj::Promise<void> BrokerService::redrive(RedriveContext context) {
  return answer_redrive<Result<Redriven>>(context, [](Engine& engine, const auto& queue, const auto& call) {
    return engine.redrive(queue, call.options);
  });
}

kj::Promise<void> BrokerService::park(ParkContext context) {
  return answer_redrive<Result<Redriven>>(context, [](Engine& engine, const auto& queue, const auto& call) {
    return engine.park(queue, call.options);
  });
}

kj::Promise<void> BrokerService::startRedrive(StartRedriveContext context) {
  return answer_redrive<Result<TaskId>>(context, [](Engine& engine, const auto& queue, const auto& call) {
    return engine.start_redrive(queue, call.options);
  });
}

kj::Promise<void> BrokerService::previewRedrive(PreviewRedriveContext context) {
  return answer_redrive<Result<RedrivePreview>>(
      context, [hidden = redaction({})](Engine& engine, const auto& queue, const auto& call) {
        return engine.preview_redrive(queue, call.options, both(call.redact, hidden));
      });
}

kj::Promise<void> BrokerService::previewPark(PreviewParkContext context) {
  return answer_redrive<Result<RedrivePreview>>(
      context, [hidden = redaction({})](Engine& engine, const auto& queue, const auto& call) {
        return engine.preview_park(queue, call.options, both(call.redact, hidden));
      });
}

Result<TaskStatus> BrokerService::task_of(TaskId id) const {
  auto status = state_.engine.redrive_status(id);
  if (!status || may_operate(*status)) return status;
  return fail(ErrorCode::kTaskNotFound, "there is no task " + std::to_string(static_cast<std::uint64_t>(id)) +
                                            ", or it ended long ago");
}

bool BrokerService::may_operate(const TaskStatus& task) const {
  return !rights_ || rights_->allow(Right::kOperate, task.queue);
}

kj::Promise<void> BrokerService::redriveStatus(RedriveStatusContext context) {
  return answer_now<Result<TaskStatus>>(*peer_, context, task_of(convert::read(context.getParams())));
}

kj::Promise<void> BrokerService::listRedrives(ListRedrivesContext context) {
  auto tasks = state_.engine.list_redrives();
  if (tasks) std::erase_if(*tasks, [this](const TaskStatus& task) { return !may_operate(task); });
  return answer_now<Result<std::vector<TaskStatus>>>(*peer_, context, tasks);
}

kj::Promise<void> BrokerService::cancelRedrive(CancelRedriveContext context) {
  auto call = convert::read(context.getParams());
  if (auto task = task_of(call.task); !task) return answer_now<Result<TaskStatus>>(*peer_, context, task);
  call.actor = actor(std::move(call.actor));
  return answer_blocking<Result<TaskStatus>>(*peer_, context,
                                             [&engine = state_.engine, call = std::move(call)] {
                                               return engine.cancel_redrive(call.task, call.actor);
                                             });
}

}  // namespace holdfast::server
