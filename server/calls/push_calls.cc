#include "schema/convert/messages/push.h"
#include "server/calls/answer.h"
#include "server/calls/broker_service.h"
#include "server/calls/pusher.h"

namespace holdfast::server {

kj::Promise<void> BrokerService::subscribe(SubscribeContext context) {
  const LoggedCall request = peer_->request();
  auto refuse = [&](const Error& error) {
    note_error(*peer_, request, error);
    convert::write(error, context.getResults().initError());
    return kj::Promise<void>(kj::READY_NOW);
  };
  auto call = convert::read(context.getParams());
  if (!call) return refuse(call.error());
  auto place = peer_->admit_subscription();
  if (!place) return refuse(place.error());
  auto ticket = peer_->admit(0);
  if (!ticket) return refuse(ticket.error());

  auto pusher = kj::heap<Pusher>(peer_, rights_, std::move(*place), call->queue, std::move(call->options),
                                 context.getParams().getSink());
  auto started = pusher->start();
  context.releaseParams();
  auto reply = [this, request, context, pusher = kj::mv(pusher)](const Result<void>& result) mutable {
    if (result) return context.getResults().setSubscription(kj::mv(pusher));
    note_error(*peer_, request, result.error());
    convert::write(result.error(), context.getResults().initError());
  };
  return started.then(kj::mv(reply)).attach(kj::mv(*ticket));
}

}  // namespace holdfast::server
