#include "convert/push.h"
#include "server/calls/answer.h"
#include "server/calls/broker_service.h"
#include "server/push/pusher.h"

namespace holdfast::server {

kj::Promise<void> BrokerService::subscribe(SubscribeContext context) {
  auto refuse = [&](const Error& error) {
    count_error(*peer_, error);
    convert::write(error, context.getResults().initError());
    return kj::Promise<void>(kj::READY_NOW);
  };
  auto call = convert::read(context.getParams());
  if (!call) return refuse(call.error());
  auto place = peer_->admit_subscription();
  if (!place) return refuse(place.error());
  auto ticket = peer_->admit(0);
  if (!ticket) return refuse(ticket.error());

  auto pusher = kj::heap<Pusher>(peer_, std::move(*place), call->queue, std::move(call->options),
                                 context.getParams().getSink());
  auto started = pusher->start();
  context.releaseParams();
  auto reply = [this, context, pusher = kj::mv(pusher)](const Result<void>& result) mutable {
    if (result) return context.getResults().setSubscription(kj::mv(pusher));
    count_error(*peer_, result.error());
    convert::write(result.error(), context.getResults().initError());
  };
  return started.then(kj::mv(reply)).attach(kj::mv(*ticket));
}

}  // namespace holdfast::server
