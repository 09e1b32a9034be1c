#include "convert/redrive.h"
#include "server/calls/answer.h"
#include "server/calls/broker_service.h"

namespace holdfast::server {
namespace {

// Answers with `verb(queue, options)`, on a thread that may block. `actor(said)`: who calls.
template <class R, class Context, class Actor, class Verb>
kj::Promise<void> answer_options(Peer& peer, Context context, Actor actor, Verb verb) {
  auto call = convert::read(context.getParams());
  if (!call) return answer_now<R>(peer, context, tl::unexpected(call.error()));
  call->options.actor = actor(std::move(call->options.actor));
  return answer_blocking<R>(peer, context,
                            [verb, queue = std::string(call->queue), options = std::move(call->options)] {
                              return verb(queue, options);
                            });
}

}  // namespace

kj::Promise<void> BrokerService::redrive(RedriveContext context) {
  return answer_options<Result<Redriven>>(
      *peer_, context, [this](std::string said) { return actor(std::move(said)); },
      [&engine = state_.engine](const std::string& queue, const RedriveOptions& options) {
        return engine.redrive(queue, options);
      });
}

kj::Promise<void> BrokerService::park(ParkContext context) {
  return answer_options<Result<Redriven>>(
      *peer_, context, [this](std::string said) { return actor(std::move(said)); },
      [&engine = state_.engine](const std::string& queue, const RedriveOptions& options) {
        return engine.park(queue, options);
      });
}

kj::Promise<void> BrokerService::startRedrive(StartRedriveContext context) {
  return answer_options<Result<TaskId>>(
      *peer_, context, [this](std::string said) { return actor(std::move(said)); },
      [&engine = state_.engine](const std::string& queue, const RedriveOptions& options) {
        return engine.start_redrive(queue, options);
      });
}

kj::Promise<void> BrokerService::previewRedrive(PreviewRedriveContext context) {
  return answer_options<Result<RedrivePreview>>(
      *peer_, context, [this](std::string said) { return actor(std::move(said)); },
      [&engine = state_.engine](const std::string& queue, const RedriveOptions& options) {
        return engine.preview_redrive(queue, options);
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
  return answer_blocking<Result<TaskStatus>>(
      *peer_, context, [&engine = state_.engine, task = convert::read(context.getParams())] {
        return engine.cancel_redrive(task);
      });
}

}  // namespace holdfast::server
