#include "server/rpc/subscribe.h"

#include <utility>

#include "schema/convert/messages/push_conversion.h"
#include "server/calls/answer.h"
#include "server/calls/read_request.h"
#include "server/rpc/pusher.h"

namespace holdfast::server {

kj::Promise<void> subscribe(Call<wire::SubscribeRequest, wire::SubscribeReply> call) {
  auto refuse = [call](const Error& error) {
    note_error(*call, error);
    convert::write(error, call.reply(kAnswerRoom).initError());
    return kj::Promise<void>(kj::READY_NOW);
  };
  auto asked = read_request(call);
  if (!asked) return refuse(asked.error());
  auto place = call->peer().admit_subscription();
  if (!place) return refuse(place.error());
  auto pusher = kj::heap<Pusher>(call->shared_caller(), std::move(*place), asked->queue,
                                 std::move(asked->options), call.params().getSink());
  auto started = pusher->start();
  call->release_params();
  auto reply = [call, refuse, pusher = kj::mv(pusher)](const Result<void>& result) mutable {
    if (result) return call.reply(kAnswerRoom).setSubscription(kj::mv(pusher));
    (void)refuse(result.error());
  };
  return started.then(kj::mv(reply));
}

}  // namespace holdfast::server
