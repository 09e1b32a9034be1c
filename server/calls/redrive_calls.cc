#include "convert/redrive.h"
#include "server/calls/answer.h"
#include "server/calls/broker_service.h"

namespace holdfast::server {

template <class R, class Context, class Verb>
kj::Promise<void> BrokerService::answer_redrive(Context context, Verb verb) {
  auto call = convert::read(context.getParams());
  if (!call) return answer_now<R>(*peer_, context, tl::unexpected(call.error()));
  if (auto ok = check_edit(call->options.edit); !ok)
    return answer_now<R>(*peer_, context, tl::unexpected(ok.error()));
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

kj::Promise<void> BrokerService::redriveStatus(RedriveStatusContext context) {
  return answer_now<Result<TaskStatus>>(*peer_, context,
                                        state_.engine.redrive_status(convert::read(context.getParams())));
}

kj::Promise<void> BrokerService::listRedrives(ListRedrivesContext context) {
  return answer_now<Result<std::vector<TaskStatus>>>(*peer_, context, state_.engine.list_redrives());
}

kj::Promise<void> BrokerService::cancelRedrive(CancelRedriveContext context) {
  auto call = convert::read(context.getParams());
  call.actor = actor(std::move(call.actor));
  return answer_blocking<Result<TaskStatus>>(*peer_, context,
                                             [&engine = state_.engine, call = std::move(call)] {
                                               return engine.cancel_redrive(call.task, call.actor);
                                             });
}

}  // namespace holdfast::server
